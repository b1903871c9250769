# /// attack
# tries = "overflows the stack of C by callbacks that call themselves"
# zygote = ["error", "limit"]
# bwrap = ["error", "limit"]
# docker = ["error", "limit"]
# rlimit = ["error", "limit"]
# control = "none: harms nobody but itself"
# ///
import ctypes

sys.setrecursionlimit(10**9)
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)


@kind
def dive(depth):
    return dive(depth + 1)


dive(0)
