# /// attack
# tries = "ends by a signal, as if the sandbox had killed it"
# zygote = ["error", "limit"]
# bwrap = ["error", "limit"]
# docker = ["error", "limit"]
# rlimit = ["error", "limit"]
# control = "none: harms nobody but itself"
# ///
import signal

os.kill(os.getpid(), signal.SIGKILL)
