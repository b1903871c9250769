# /// attack
# tries = "ignores the signal of its own crash"
# zygote = ["error"]
# bwrap = ["error"]
# docker = ["error"]
# rlimit = ["error"]
# control = "none: held by the deadline only"
# policy = { time_s = 0.7 }
# ///
import ctypes
import signal

signal.signal(signal.SIGSEGV, signal.SIG_IGN)
signal.setitimer(signal.ITIMER_REAL, 15)
ctypes.string_at(0)
