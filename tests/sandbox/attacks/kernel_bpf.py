# /// attack
# tries = "loads into the kernel's virtual machine"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: most systems refuse it to ordinary users"
# ///
import ctypes

ARRAY = (ctypes.c_uint32 * 18)(2, 4, 4, 1)
attempt("bpf", syscall, "bpf", 0, ARRAY, 72)
