# /// attack
# tries = "recurses without end"
# zygote = ["error", "limit", "timeout"]
# bwrap = ["error", "limit", "timeout"]
# docker = ["error", "limit", "timeout"]
# rlimit = ["error", "limit", "timeout"]
# control = "none: harms nobody but itself"
# policy = { time_s = 2.0 }
# ///
sys.setrecursionlimit(10**9)


def dive(depth):
    return [dive(depth + 1)]


dive(0)
