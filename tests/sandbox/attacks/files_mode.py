# /// attack
# tries = "changes mode, owner, times and attributes of a file of the test"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
mine = os.getuid()
touch(os.chmod, bait["file"], 0o606)
touch(os.chown, bait["file"], mine, os.getgid())
touch(os.utime, bait["file"], (1, 1))
touch(os.setxattr, bait["file"], "user.bait", b"x")
touch(os.chmod, bait["open"], 0o700)
