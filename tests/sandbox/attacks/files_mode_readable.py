# /// attack
# tries = "changes mode, times and attributes of a readable file through a read-only descriptor"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: bait lies beside the interpreter only where the user owns that folder"
# ///
if bait["library"]:
    with contextlib.suppress(OSError):
        held = os.open(bait["library"], os.O_RDONLY)
        touch(os.fchmod, held, 0o606)
        touch(os.utime, held, (1, 1))
        touch(os.setxattr, held, "user.bait", b"x")
        touch(os.fchown, held, os.getuid(), os.getgid())
    touch(os.chmod, bait["library"], 0o606)
    touch(open, bait["library"], "ab")
    touch(os.open, bait["library"], os.O_RDONLY | os.O_TRUNC)
