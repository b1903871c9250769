# /// attack
# tries = "makes a user namespace, in which it would be root: unshare, clone, clone3"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes
import signal

CLONE_NEWUSER = 0x10000000


def start(name, *args):
    if syscall(name, *args) == 0:
        os._exit(0)


block = (ctypes.c_uint64 * 8)(CLONE_NEWUSER, 0, 0, 0, int(signal.SIGCHLD), 0, 0, 0)
attempt("clone", start, "clone", CLONE_NEWUSER | int(signal.SIGCHLD), 0, 0, 0, 0)
attempt("clone3", start, "clone3", block, 64)
attempt("unshare", syscall, "unshare", CLONE_NEWUSER)
