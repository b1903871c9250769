# /// attack
# tries = "ends, but leaves its pipes to a child in a session of its own, deaf to signals"
# zygote = ["ok", "timeout"]
# bwrap = ["ok", "timeout"]
# docker = ["ok", "timeout"]
# rlimit = "not covered"
# control = "none: held by the deadline only"
# policy = { time_s = 1.0 }
# ///
import signal

with contextlib.suppress(OSError):
    if os.fork() == 0:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        time.sleep(10)
        os._exit(0)
