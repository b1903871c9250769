# /// attack
# tries = "writes a byte now and then, so that a reader who waits for silence waits for ever"
# zygote = ["timeout"]
# bwrap = ["timeout"]
# docker = ["timeout"]
# rlimit = ["timeout"]
# control = "none: held by the deadline only"
# output = '^drip(drip)*'
# policy = { time_s = 0.7 }
# ///
end = time.monotonic() + 15
while time.monotonic() < end:
    os.write(1, b"drip")
    time.sleep(0.02)
