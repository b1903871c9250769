# /// attack
# tries = "kills the process of the test that called the sandbox"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import signal

attempt("reached the caller", os.kill, bait["caller"], 0)
attempt("stopped the caller", os.kill, bait["caller"], signal.SIGCONT)
