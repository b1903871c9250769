# /// attack
# tries = "sends from one end of a socketpair to a Unix socket of the test"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import socket

for name in (bait["datagram"], "\0" + bait["abstract_datagram"]):
    with contextlib.suppress(OSError):
        left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        attempt("sent out of a socketpair", left.sendto, b"hello", name)
        attempt("sent a message out of a socketpair", left.sendmsg, [b"hello"], [], 0, name)
        # A socketpair that is connected anew leaves its partner.
        attempt("connected a socketpair anew", left.connect, name)
