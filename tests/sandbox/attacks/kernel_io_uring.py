# /// attack
# tries = "sets up io_uring, whose operations no filter of system calls sees"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = "not covered: old engines' own filters let it through"
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

attempt("io_uring_setup", syscall, "io_uring_setup", 4, ctypes.create_string_buffer(120))
