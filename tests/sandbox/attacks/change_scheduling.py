# /// attack
# tries = "slows a process of the test down: affinity, policy, priority"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

pid = bait["process"]
one = {min(os.sched_getaffinity(0))}
attempt("set its priority", os.setpriority, os.PRIO_PROCESS, pid, 15)
attempt("set its affinity", os.sched_setaffinity, pid, one)
attempt("set its policy", os.sched_setscheduler, pid, os.SCHED_BATCH, os.sched_param(0))
attempt("set its parameters", os.sched_setparam, pid, os.sched_param(0))
attempt("set its I/O class", syscall, "ioprio_set", 1, pid, 3 << 13)
attributes = ctypes.create_string_buffer(
    (48).to_bytes(4, sys.byteorder) + (3).to_bytes(4, "little"), 48
)
attempt("sched_setattr", syscall, "sched_setattr", pid, attributes, 0)
