# /// attack
# tries = "handles its own page faults, which helps to win races in the kernel"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: some systems refuse it to ordinary users"
# ///
attempt("userfaultfd", syscall, "userfaultfd", 1)
attempt("userfaultfd for the kernel too", syscall, "userfaultfd", 0)
