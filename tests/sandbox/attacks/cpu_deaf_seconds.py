# /// attack
# tries = "spins past its CPU seconds and ignores SIGXCPU, the soft limit's signal"
# zygote = ["limit"]
# bwrap = ["limit"]
# docker = ["limit"]
# rlimit = ["limit"]
# control = "none: held by a limit only"
# policy = { time_s = 30.0, cpu_s = 1 }
# ///
import signal

signal.signal(signal.SIGXCPU, signal.SIG_IGN)
end = time.monotonic() + 40
while time.monotonic() < end:
    pass
