# /// attack
# tries = "opens a performance counter"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: some systems refuse it to ordinary users"
# ///
import ctypes

counter = (ctypes.c_uint32 * 32)(1, 128)
# Without the kernel's and the hypervisor's part, which ordinary users may not count.
counter[10] = 0b1100000
attempt("perf_event_open", syscall, "perf_event_open", counter, 0, -1, -1, 0)
