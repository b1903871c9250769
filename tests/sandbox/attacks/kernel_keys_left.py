# /// attack
# tries = "leaves a key behind in the key rings of its user and session"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

kind, name = ctypes.c_char_p(b"user"), ctypes.c_char_p(bait["token"].encode())
# The test looks into its own rings afterwards.
for ring in (-3, -4, -5):
    with contextlib.suppress(OSError):
        syscall("add_key", kind, name, ctypes.c_char_p(b"left"), 4, ring)
