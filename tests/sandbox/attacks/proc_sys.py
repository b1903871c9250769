# /// attack
# tries = "opens settings of the kernel for writing (and writes nothing)"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: needs the machine's own root"
# ///
paths = ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/kernel/modprobe"]
paths += ["/proc/sys/vm/overcommit_memory", "/sys/kernel/mm/ksm/run", "/proc/sys/kernel/randomize"]
paths += [
    "/sys/kernel/uevent_helper",
    "/sys/power/state",
    "/proc/kcore",
    "/proc/self/oom_score_adj",
]
for path in paths[:-1]:
    attempt(f"opened {path} for writing", os.open, path, os.O_WRONLY)
attempt("read /proc/kcore", open, "/proc/kcore", "rb", buffering=0)
for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids"):
    attempt(f"opened {root} for writing", os.open, f"{root}/cgroup.procs", os.O_WRONLY)
