# /// attack
# tries = "leaves a set-uid program of its owner in a folder that outlives the run"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# kept_folder = true
# ///
MODE = 0o4755
with open("program", "w") as file:
    file.write("#!/bin/sh\nid\n")
with contextlib.suppress(OSError):
    os.chmod("program", MODE)
with contextlib.suppress(OSError):
    os.close(os.open("program2", os.O_CREAT | os.O_WRONLY, MODE))
with contextlib.suppress(OSError):
    os.mknod("program3", MODE)
with contextlib.suppress(OSError):
    os.mkdir("group")
    os.chmod("group", 0o2777)
