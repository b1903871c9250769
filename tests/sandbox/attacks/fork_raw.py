# /// attack
# tries = "starts processes by the raw calls: fork, clone, clone3 (not vfork: it shares the stack)"
# zygote = ["ok"]
# bwrap = "not covered: processes are allowed there, up to the policy's number"
# docker = "not covered: processes are allowed there, up to the policy's number"
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes
import signal


def start(name, *args):
    if syscall(name, *args) == 0:
        os._exit(0)


# struct clone_args: flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls.
block = (ctypes.c_uint64 * 8)(0, 0, 0, 0, int(signal.SIGCHLD), 0, 0, 0)
attempt("clone", start, "clone", int(signal.SIGCHLD), 0, 0, 0, 0)
attempt("clone3", start, "clone3", block, 64)
if "fork" in bait["syscalls"]:
    attempt("fork", start, "fork")
