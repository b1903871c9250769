# /// attack
# tries = "takes an open file out of a process of the test by pidfd_getfd"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
with contextlib.suppress(OSError):
    held = syscall("pidfd_open", bait["process"], 0)
    attempt("took an open file", syscall, "pidfd_getfd", held, bait["process_fd"], 0)
