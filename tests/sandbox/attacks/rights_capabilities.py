# /// attack
# tries = "finds or takes capabilities"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

VERSION = 0x20080522
PR_SET_KEEPCAPS, PR_CAP_AMBIENT = 8, 47
head = (ctypes.c_uint32 * 2)(VERSION, 0)
sets = (ctypes.c_uint32 * 6)()
with contextlib.suppress(OSError):
    syscall("capget", head, sets)
    if any(sets):
        breach(f"holds capabilities {[hex(word) for word in sets]}")
full = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
attempt("took all capabilities", syscall, "capset", head, full)
attempt("raised a capability", syscall, "prctl", PR_CAP_AMBIENT, 2, 21, 0, 0)
