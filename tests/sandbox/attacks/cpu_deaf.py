# /// attack
# tries = "spins with every signal ignored and blocked"
# zygote = ["timeout"]
# bwrap = ["timeout"]
# docker = ["timeout"]
# rlimit = ["timeout"]
# control = "none: held by the deadline only"
# policy = { time_s = 0.7 }
# ///
import signal

for number in range(1, 65):
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
end = time.monotonic() + 15
while time.monotonic() < end:
    pass
