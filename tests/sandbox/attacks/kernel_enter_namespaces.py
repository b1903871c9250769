# /// attack
# tries = "enters the namespaces of the test's processes"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
with contextlib.suppress(OSError):
    held = syscall("pidfd_open", bait["process"], 0)
    attempt("entered by a pidfd", syscall, "setns", held, 0x40000000)
for kind in ("user", "mnt", "net", "pid", "ipc", "uts", "cgroup"):
    with contextlib.suppress(OSError):
        held = os.open(f"/proc/{bait['process']}/ns/{kind}", os.O_RDONLY)
        attempt(f"entered the {kind} namespace", syscall, "setns", held, 0)
