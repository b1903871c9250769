# /// attack
# tries = "spins past its CPU seconds, long before the deadline"
# zygote = ["limit"]
# bwrap = ["limit"]
# docker = ["limit"]
# rlimit = ["limit"]
# control = "none: held by a limit only"
# policy = { time_s = 30.0, cpu_s = 1 }
# ///
end = time.monotonic() + 40
while time.monotonic() < end:
    pass
