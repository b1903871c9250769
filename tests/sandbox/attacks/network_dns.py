# /// attack
# tries = "asks the test's name server for an address, by hand, since the system's is no bait"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import socket

QUESTION = b"\0\1\1\0\0\1\0\0\0\0\0\0\4bait\7invalid\0\0\1\0\1"

with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
    end.connect(("127.0.0.1", bait["udp"]))
    end.send(QUESTION)
