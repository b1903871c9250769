# /// attack
# tries = "sleeps in a session of its own while the test kills the sandbox's own processes"
# zygote = "not covered: runs no shells"
# bwrap = ["failed"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = "not covered"
# control = "none: held by the deadline or a limit only"
# during = "kill"
# policy = { time_s = 4.0 }
# ///
setsid sleep 15
