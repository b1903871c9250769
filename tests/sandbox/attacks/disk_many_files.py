# /// attack
# tries = "writes 300 MB in many files"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = "not covered"
# control = "breach"
# ///
total = 0
with contextlib.suppress(OSError):
    for number in range(300):
        with open(f"file-{number}", "wb", buffering=0) as file:
            total += file.write(CHUNK)
if total >= 300 << 20:
    breach("wrote 300 MB")
