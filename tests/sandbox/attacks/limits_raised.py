# /// attack
# tries = "raises its own limits, or finds one that is missing"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = "not covered: the limits of a container are those of its control group"
# rlimit = ["ok"]
# control = "none: a container sets no limits"
# ///
import resource

names = ["AS", "CPU", "FSIZE", "NOFILE", "NPROC", "CORE", "STACK", "MEMLOCK", "MSGQUEUE", "DATA"]
for name in names:
    limit = getattr(resource, f"RLIMIT_{name}", None)
    if limit is None:
        continue
    hard = resource.getrlimit(limit)[1]
    if hard == resource.RLIM_INFINITY:
        if name in ("AS", "FSIZE", "CPU"):
            breach(f"no limit {name}")
        continue
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(limit, (hard + 1, hard + 1))
        breach(f"raised the limit {name}")
if resource.getrlimit(resource.RLIMIT_CORE)[1] != 0:
    breach("may leave a core dump")
