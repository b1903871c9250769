# /// attack
# tries = "sleeps past the deadline in a session of its own with every signal blocked"
# zygote = ["timeout"]
# bwrap = ["timeout"]
# docker = ["timeout"]
# rlimit = "not covered"
# control = "none: held by the deadline only"
# policy = { time_s = 0.5 }
# ///
import signal

with contextlib.suppress(OSError):
    os.setsid()
with contextlib.suppress(OSError):
    os.setpgid(0, 0)
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
end = time.monotonic() + 15
while time.monotonic() < end:
    time.sleep(0.2)
