# /// attack
# tries = "connects to a Unix socket of the test by its path"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import socket


def connect():
    end = socket.socket(socket.AF_UNIX)
    end.connect(bait["stream"])


attempt("connected to a Unix socket", connect)
