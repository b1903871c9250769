# /// attack
# tries = "spins past the deadline"
# zygote = ["timeout"]
# bwrap = ["timeout"]
# docker = ["timeout"]
# rlimit = ["timeout"]
# control = "none: held by the deadline only"
# policy = { time_s = 0.5 }
# ///
end = time.monotonic() + 15
while time.monotonic() < end:
    pass
