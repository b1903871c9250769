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
        attempt("fchmod", os.fchmod, held, 0o606)
        attempt("futimens", os.utime, held, (1, 1))
        attempt("fsetxattr", os.setxattr, held, "user.bait", b"x")
        attempt("fchown", os.fchown, held, os.getuid(), os.getgid())
    attempt("chmod", os.chmod, bait["library"], 0o606)
    attempt("opened for writing", open, bait["library"], "ab")
    attempt("opened with O_TRUNC", os.open, bait["library"], os.O_RDONLY | os.O_TRUNC)
