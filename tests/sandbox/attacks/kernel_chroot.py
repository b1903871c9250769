# /// attack
# tries = "changes its root: chroot and pivot_root"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

os.mkdir("root")
path = ctypes.c_char_p(b"root")
attempt("pivot_root", syscall, "pivot_root", path, path)
attempt("chroot", os.chroot, "root")
