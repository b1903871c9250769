# /// attack
# tries = "writes output without end (1 GB at most)"
# zygote = "not covered: runs no shells"
# bwrap = ["limit"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = ["limit"]
# control = "none: held by the deadline or a limit only"
# ///
head -c 1000000000 /dev/zero
