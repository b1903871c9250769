# /// attack
# tries = "reserves 300 MB past a file's end, which no limit on file sizes counts"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = "not covered"
# control = "none: file systems in memory do count it"
# ///

FALLOC_FL_KEEP_SIZE = 1
total = 0
with contextlib.suppress(OSError):
    for number in range(300):
        if number % 30 == 0:
            held = os.open(f"file-{number}", os.O_CREAT | os.O_RDWR, 0o600)
        syscall("fallocate", held, FALLOC_FL_KEEP_SIZE, total, 1 << 20)
        total += 1 << 20
if total >= 300 << 20:
    breach("reserved 300 MB")
