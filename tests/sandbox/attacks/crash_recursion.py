# /// attack
# tries = "recurses without end"
# zygote = ["error", "limit"]
# bwrap = ["error", "limit"]
# docker = ["error", "limit"]
# rlimit = ["error", "limit"]
# control = "none: harms nobody but itself"
# ///
sys.setrecursionlimit(10**9)


def dive(depth):
    return [dive(depth + 1)]


dive(0)
