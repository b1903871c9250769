# /// attack
# tries = "runs a regular expression that takes exponential time"
# zygote = ["timeout"]
# bwrap = ["timeout"]
# docker = ["timeout"]
# rlimit = ["timeout"]
# control = "none: held by the deadline only"
# policy = { time_s = 0.5 }
# ///
import re
import signal

signal.setitimer(signal.ITIMER_REAL, 15)
re.match(r"(a*)*b", "a" * 64)
