# /// attack
# tries = "sleeps in a session of its own while the test kills the sandbox's own processes"
# zygote = "not covered: runs no shells"
# bwrap = ["failed"]
# docker = "not covered: an engine's processes are not the test's to kill"
# rlimit = "not covered"
# control = "none: held by the deadline or a limit only"
# during = "kill"
# policy = { time_s = 4.0 }
# ///
setsid sleep 15
