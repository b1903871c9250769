# /// attack
# tries = "takes a higher priority than it was given"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: needs the machine's own root"
# ///
attempt("a real-time policy", os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1))
attempt("a higher priority", os.nice, -1)
attempt("a real-time I/O class", syscall, "ioprio_set", 1, 0, 1 << 13)
