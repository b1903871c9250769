# /// attack
# tries = "kills its whole process group, in which the sandbox's own processes might be"
# zygote = ["error", "limit"]
# bwrap = ["error", "limit"]
# docker = ["error", "limit"]
# rlimit = "not covered"
# control = "none: the container's own caller would be killed"
# ///
import signal

os.kill(0, signal.SIGKILL)
