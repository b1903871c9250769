# /// attack
# tries = "kills its own parent, which is the sandbox's"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import signal

parent = os.getppid()
# Not init, and not 0: that would be its own group.
if parent > 1:
    attempt("killed its parent", os.kill, parent, signal.SIGKILL)
    attempt("killed its parent's group", os.killpg, parent, signal.SIGKILL)
