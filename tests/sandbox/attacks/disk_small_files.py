# /// attack
# tries = "writes files of one byte, each of which takes a block"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = "not covered"
# control = "breach"
# ///
goal = bait["policy"]["disk_bytes"] + (32 << 20)
end = time.monotonic() + 4
total = 0
with contextlib.suppress(OSError):
    for folder in range(300):
        os.mkdir(str(folder))
        for number in range(256):
            held = os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY)
            os.write(held, b"x")
            os.close(held)
            total += 4096
        if total > goal or time.monotonic() > end:
            break
if total > goal:
    breach(f"took {total >> 20} MB in files of one byte")
