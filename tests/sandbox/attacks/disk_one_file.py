# /// attack
# tries = "writes one file of 300 MB"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = ["ok", "error", "limit"]
# control = "breach"
# ///
total = 0
with contextlib.suppress(OSError), open("big", "wb", buffering=0) as file:
    while total < 300 << 20:
        total += file.write(CHUNK)
if total >= 300 << 20:
    breach("wrote 300 MB")
