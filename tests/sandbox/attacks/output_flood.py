# /// attack
# tries = "writes 1 GB to its output"
# zygote = ["limit"]
# bwrap = ["limit"]
# docker = ["limit"]
# rlimit = ["limit"]
# control = "none: held by a limit only"
# ///
CHUNK = (b"x" * 79 + b"\n") * 12800
end = time.monotonic() + 4
for _ in range(1024):
    if time.monotonic() > end:
        break
    os.write(1, CHUNK)
