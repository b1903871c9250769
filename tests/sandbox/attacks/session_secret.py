# /// attack
# tries = "reads the secrets of the test from a session"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = "not covered: runs no sessions"
# rlimit = "not covered"
# control = "none: needs a session"
# session = true
# ///
for path in (bait["secret"], bait["public"], bait["home"], "/etc/shadow"):
    attempt(f"opened {path}", open, path, "rb")
attempt("killed a process of the test", os.kill, bait["process"], 9)
if bait["level"] == "zygote":
    attempt("opened a socket", __import__("socket").socket)
