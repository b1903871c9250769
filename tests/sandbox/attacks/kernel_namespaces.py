# /// attack
# tries = "makes the other namespaces, one by one"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
KINDS = {"mount": 0x20000, "uts": 0x4000000, "ipc": 0x8000000, "pid": 0x20000000}
KINDS |= {"net": 0x40000000, "cgroup": 0x2000000, "time": 0x80}
for name, flag in KINDS.items():
    attempt(f"made a {name} namespace", syscall, "unshare", flag)
