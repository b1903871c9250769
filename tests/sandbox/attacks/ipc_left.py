# /// attack
# tries = "leaves a message queue, semaphores and a segment behind, which outlive the process"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

IPC_CREAT = 0o1000
# In a namespace of its own they go with it: the test looks whether they are there.
libc = ctypes.CDLL(None, use_errno=True)
libc.shmget(bait["ipc_key"], ctypes.c_size_t(4096), IPC_CREAT | 0o600)
libc.msgget(bait["ipc_key"], IPC_CREAT | 0o600)
libc.semget(bait["ipc_key"], 1, IPC_CREAT | 0o600)
name = ctypes.c_char_p(bait["token"].encode())
with contextlib.suppress(OSError):
    syscall("mq_open", name, os.O_CREAT | os.O_RDWR, 0o600, None)
