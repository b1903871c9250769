# /// attack
# tries = "has the kernel send SIGIO, as SIGUSR1, to a process of the test"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import fcntl
import signal

F_SETOWN, F_SETSIG = 8, 10


def send(command, owner):
    reader, writer = os.pipe()
    fcntl.fcntl(reader, command, owner)
    fcntl.fcntl(reader, F_SETSIG, int(signal.SIGUSR1))
    fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(writer, b"x")


# Whether a signal came is seen from outside: the process of the test would be dead.
with contextlib.suppress(OSError):
    send(F_SETOWN, bait["process"])
with contextlib.suppress(OSError):
    # F_SETOWN_EX with (F_OWNER_PID, pid).
    owner = (1).to_bytes(4, sys.byteorder) + bait["process"].to_bytes(4, sys.byteorder)
    send(15, owner)
