# /// attack
# tries = "crashes the interpreter"
# zygote = ["error"]
# bwrap = ["error"]
# docker = ["error"]
# rlimit = ["error"]
# control = "none: harms nobody but itself"
# ///
import ctypes

ctypes.string_at(0)
