# /// attack
# tries = "connects over TCP to a port that the test listens on"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import socket

attempt("connected over TCP", socket.create_connection, ("127.0.0.1", bait["tcp"]), 1)
