# /// attack
# tries = "writes 300 MB into files that never had a name (O_TMPFILE)"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = "not covered"
# control = "none: the container's file system may not know O_TMPFILE"
# ///
total = 0
with contextlib.suppress(OSError):
    while total < 300 << 20:
        held = os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o600)
        time.sleep(0.02)
        with contextlib.suppress(OSError):
            for _ in range(8):
                total += os.write(held, CHUNK)
if total >= 300 << 20:
    breach("wrote 300 MB")
