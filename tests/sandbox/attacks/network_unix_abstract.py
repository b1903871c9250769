# /// attack
# tries = "connects to an abstract Unix socket of the test"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import socket


def connect(kind, name):
    end = socket.socket(socket.AF_UNIX, kind)
    end.connect("\0" + name)
    end.send(b"hello")


attempt("connected to an abstract socket", connect, socket.SOCK_STREAM, bait["abstract"])
attempt("sent to an abstract socket", connect, socket.SOCK_DGRAM, bait["abstract_datagram"])
