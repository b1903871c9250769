# /// attack
# tries = "ends by a signal that has no name"
# zygote = ["error"]
# bwrap = ["error"]
# docker = ["error"]
# rlimit = ["error"]
# control = "none: harms nobody but itself"
# ///
os.kill(os.getpid(), 40)
