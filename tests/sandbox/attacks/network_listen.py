# /// attack
# tries = "listens on a port of the machine, where a process of the test would connect"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: in a container with a network of its own nobody calls"
# during = "call"
# ///
import socket

with contextlib.suppress(OSError):
    door = socket.create_server(("127.0.0.1", bait["free_port"]))
    door.settimeout(0.4)
    # A namespace of its own is no harm: only a caller from outside is one.
    attempt("was called from outside", door.accept)
