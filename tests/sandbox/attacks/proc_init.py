# /// attack
# tries = "takes hold of the first process of its namespace, which reports how it ended"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = "not covered: the init process is the program's user, within its limits"
# rlimit = "not covered"
# control = "breach"
# ///
if os.getpid() != 1:
    for name in ("mem", "environ", "maps"):
        attempt(f"opened /proc/1/{name}", open, f"/proc/1/{name}", "rb", buffering=0)
    attempt("opened its memory for writing", open, "/proc/1/mem", "r+b", buffering=0)
    for number in range(64):
        path = f"/proc/1/fd/{number}"
        attempt(f"opened {path} for writing", os.open, path, os.O_WRONLY | os.O_NONBLOCK)
