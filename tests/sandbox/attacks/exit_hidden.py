# /// attack
# tries = "fails, but turns its failure into success in an exit hook"
# zygote = ["ok", "error"]
# bwrap = ["ok", "error"]
# docker = ["ok", "error"]
# rlimit = ["ok", "error"]
# control = "none: a program may always choose its exit status"
# ///
import atexit

atexit.register(os._exit, 0)
raise RuntimeError("hidden")
