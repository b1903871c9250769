# /// attack
# tries = "opens the memory of its parent, of the test and of a process of the test"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
for pid in (os.getppid(), bait["caller"], bait["process"]):
    if pid > 1:
        for name in ("mem", "maps", "syscall", "stack", "auxv"):
            path = f"/proc/{pid}/{name}"
            with contextlib.suppress(OSError), open(path, "rb", buffering=0) as file:
                if name == "mem":
                    file.seek(bait["process_address"])
                file.read(8)
                breach(f"read {path}")
