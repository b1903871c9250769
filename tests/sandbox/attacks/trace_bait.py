# /// attack
# tries = "attaches a debugger to a process of the test and to its own parent"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
for name, pid in (("the parent", os.getppid()), ("a process of the test", bait["process"])):
    if pid > 1:
        attempt(f"seized {name}", syscall, "ptrace", PTRACE_SEIZE, pid, 0, 0)
        attempt(f"attached to {name}", syscall, "ptrace", PTRACE_ATTACH, pid, 0, 0)
