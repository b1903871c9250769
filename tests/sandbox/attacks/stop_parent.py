# /// attack
# tries = "stops its own parent, so that the sandbox hangs"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: the caller, its parent there, would stand still"
# ///
import signal

parent = os.getppid()
if parent > 1:
    attempt("stopped its parent", os.kill, parent, signal.SIGSTOP)
