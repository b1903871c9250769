# /// attack
# tries = "reads the environment of init, of the parent and of the test"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
for pid in (1, os.getppid(), bait["caller"], bait["process"]):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        if bait["variable"].encode() in file.read():
            breach(f"read the environment of {pid}")
    with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        if bait["token"].encode() in file.read():
            breach(f"read the command line of {pid}")
