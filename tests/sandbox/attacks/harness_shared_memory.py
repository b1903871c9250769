# /// attack
# tries = "finds memory that it shares for writing with the sandbox's own process"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: there is no harness in its process"
# ///
with contextlib.suppress(OSError), open("/proc/self/maps") as file:
    for line in file:
        if line.split()[1].startswith("rw") and line.split()[1].endswith("s"):
            breach(f"shares {line.strip()}")
