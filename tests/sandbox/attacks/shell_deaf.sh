# /// attack
# tries = "ignores every signal and goes on past the deadline"
# zygote = "not covered: runs no shells"
# bwrap = ["timeout"]
# docker = "not covered: the attack is written for bash, which an image need not have"
# rlimit = ["timeout"]
# control = "none: held by the deadline or a limit only"
# policy = { time_s = 0.7 }
# ///
for number in $(seq 1 64); do trap '' "$number" 2>/dev/null; done
while [ "$SECONDS" -lt 15 ]; do :; done
