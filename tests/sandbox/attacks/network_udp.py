# /// attack
# tries = "sends a datagram to a UDP port of the test"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import socket


def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.sendto(b"hello", ("127.0.0.1", bait["udp"]))


# In a network namespace of its own the packet leaves, but reaches nobody: the test looks.
with contextlib.suppress(OSError):
    send()
