# /// attack
# tries = "opens sockets of families no network namespace confines (VSOCK, ALG, QIPCRTR)"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = "not covered: old engines' own filters let it through"
# rlimit = "not covered"
# control = "breach"
# ///
import socket

# Nothing is sent: whether the socket can be made is the whole question.
for name, family, kind in (("VSOCK", 40, 1), ("ALG", 38, 5), ("QIPCRTR", 42, 2), ("NFC", 39, 5)):
    attempt(f"a socket of family {name}", socket.socket, family, kind)
