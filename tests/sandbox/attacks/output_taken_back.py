# /// attack
# tries = "reads from its own output and errors, and changes their pipes"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: harms nobody"
# ///
import fcntl

F_SETPIPE_SZ = 1031
for number in (1, 2):
    os.set_blocking(number, False)
    with contextlib.suppress(OSError):
        fcntl.fcntl(number, F_SETPIPE_SZ, 4096)
    with contextlib.suppress(OSError):
        os.set_blocking(number, False)
    attempt(f"read from {number}", os.read, number, 64)
    with contextlib.suppress(OSError):
        other = os.open(f"/proc/self/fd/{number}", os.O_RDONLY | os.O_NONBLOCK)
        os.read(other, 64)
