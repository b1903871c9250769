# /// attack
# tries = "runs a program that lies in memory only, and one it wrote into its folder"
# zygote = ["ok"]
# bwrap = "not covered: programs may be started there"
# docker = "not covered: programs may be started there"
# rlimit = "not covered"
# control = "breach"
# ///
SCRIPT = b"#!/bin/sh\necho BREACH ran its own program\n"
with contextlib.suppress(OSError):
    with open("program", "wb") as file:
        file.write(SCRIPT)
    os.chmod("program", 0o700)
    os.execv("./program", ["program"])
with contextlib.suppress(OSError):
    held = os.memfd_create("program", 0)
    os.write(held, SCRIPT)
    os.execve(held, ["program"], {})
