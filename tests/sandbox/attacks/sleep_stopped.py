# /// attack
# tries = "stops itself, so that it never ends"
# zygote = ["timeout"]
# bwrap = ["timeout"]
# docker = ["timeout"]
# rlimit = ["timeout"]
# control = "none: held by the deadline only"
# policy = { time_s = 0.5 }
# ///
import signal

os.kill(os.getpid(), signal.SIGSTOP)
