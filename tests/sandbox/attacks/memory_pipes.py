# /// attack
# tries = "keeps data in the buffers of pipes and sockets"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: bounded by the number of open files in any case"
# ///
import fcntl

F_SETPIPE_SZ = 1031
goal = bait["policy"]["memory_bytes"] + (512 << 20)
total = 0
held = []
with contextlib.suppress(OSError):
    while total < goal and len(held) < 2000:
        reader, writer = os.pipe()
        held += [reader, writer]
        os.set_blocking(writer, False)
        with contextlib.suppress(OSError):
            fcntl.fcntl(writer, F_SETPIPE_SZ, 1 << 20)
        with contextlib.suppress(BlockingIOError):
            while True:
                total += os.write(writer, bytes(65536))
if total >= goal:
    breach(f"took {goal >> 20} MB")
