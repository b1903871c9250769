# /// attack
# tries = "changes mode, owner, times and attributes of a file of the test"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
mine = os.getuid()
attempt("changed the mode", os.chmod, bait["file"], 0o606)
attempt("changed the owner", os.chown, bait["file"], mine, os.getgid())
attempt("changed the times", os.utime, bait["file"], (1, 1))
attempt("set an attribute", os.setxattr, bait["file"], "user.bait", b"x")
attempt("made a folder of the test private", os.chmod, bait["open"], 0o700)
