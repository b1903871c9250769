# /// attack
# tries = "connects by sendto(MSG_FASTOPEN), which older Landlock does not see as a connect"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import socket

MSG_FASTOPEN = 0x20000000


def connect():
    with socket.socket() as end:
        end.sendto(b"hello", MSG_FASTOPEN, ("127.0.0.1", bait["tcp"]))


attempt("connected by MSG_FASTOPEN", connect)
