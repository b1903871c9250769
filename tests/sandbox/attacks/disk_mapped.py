# /// attack
# tries = "writes 300 MB through files mapped into memory"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = "not covered"
# control = "breach"
# ///
import mmap

STEP = 4 << 20
total = 0
with contextlib.suppress(OSError, MemoryError, ValueError):
    for number in range(300 // 4):
        held = os.open(f"file-{number}", os.O_CREAT | os.O_RDWR, 0o600)
        os.ftruncate(held, STEP)
        with mmap.mmap(held, STEP) as area:
            for offset in range(0, STEP, 4096):
                area[offset] = 1
        os.close(held)
        total += STEP
if total >= 300 << 20:
    breach("wrote 300 MB")
