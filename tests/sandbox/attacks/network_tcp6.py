# /// attack
# tries = "connects over IPv6 to a port that the test listens on"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: a machine may have no IPv6"
# ///
import socket

if bait["tcp6"]:
    attempt("connected over IPv6", socket.create_connection, ("::1", bait["tcp6"]), 1)
