# /// attack
# tries = "connects by MPTCP and SCTP, which Landlock's TCP rules do not cover"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import socket

for name, protocol in (("MPTCP", 262), ("SCTP", 132)):
    with contextlib.suppress(OSError):
        end = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
        end.settimeout(1)
        end.connect(("127.0.0.1", bait["tcp"]))
        breach(f"connected over {name}")
