# /// attack
# tries = "learns of a process of the test that it is there: its session, affinity, priority"
# zygote = "not covered: no process is hidden there, though none can be touched or looked into"
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
attempt("read its session", os.getsid, bait["process"])
attempt("read its affinity", os.sched_getaffinity, bait["process"])
attempt("read its priority", os.getpriority, os.PRIO_PROCESS, bait["process"])
