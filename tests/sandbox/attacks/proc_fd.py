# /// attack
# tries = "opens the files that its parent and the processes of the test hold"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
for pid in (os.getppid(), bait["caller"], bait["process"]):
    if pid > 1:
        for number in range(64):
            path = f"/proc/{pid}/fd/{number}"
            attempt(f"opened {path}", os.open, path, os.O_RDONLY | os.O_NONBLOCK)
        attempt(f"listed the files of {pid}", os.listdir, f"/proc/{pid}/fd")
        attempt(f"entered the folder of {pid}", os.listdir, f"/proc/{pid}/cwd")
