# /// attack
# tries = "keeps memory in files of file systems that live in memory"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
goal = bait["policy"]["memory_bytes"] + (512 << 20)
CHUNK = bytes(1 << 20)
names = []
total = 0
for folder in ("/dev/shm", "/run", "/tmp", "/dev", f"/run/user/{os.getuid()}", "/"):
    for number in range(64):
        try:
            name = f"{folder}/{bait['token']}-{number}"
            held = os.open(name, os.O_CREAT | os.O_WRONLY, 0o600)
            names.append(name)
        except OSError:
            break
        with contextlib.suppress(OSError):
            while total < goal:
                total += os.write(held, CHUNK)
        os.close(held)
        if total >= goal:
            break
for name in names:
    os.unlink(name)
if total >= goal:
    breach(f"took {goal >> 20} MB")
