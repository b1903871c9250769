# /// attack
# tries = "maps and touches more memory than the policy allows"
# zygote = ["ok", "limit"]
# bwrap = ["ok", "limit"]
# docker = ["ok", "limit"]
# rlimit = ["ok", "limit"]
# control = "breach"
# ///
import mmap

STEP = 16 << 20
goal = bait["policy"]["memory_bytes"] + (512 << 20)
taken = []
try:
    while len(taken) * STEP < goal:
        area = mmap.mmap(-1, STEP, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for offset in range(0, STEP, 4096):
            area[offset] = 1
        taken.append(area)
    breach(f"took {goal >> 20} MB")
except (OSError, MemoryError):
    print("refused")
