# /// attack
# tries = "opens raw and packet sockets"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import socket

for family, kind, protocol in ((17, 3, 0x0300), (2, 3, 1), (2, 3, 255), (17, 2, 0x0300)):
    attempt(f"a raw socket {family} {kind} {protocol}", socket.socket, family, kind, protocol)
