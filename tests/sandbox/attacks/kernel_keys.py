# /// attack
# tries = "finds a key of the test in the key ring of its session, and reads it"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

KEYCTL_SEARCH, KEYCTL_READ = 10, 11
kind, name = ctypes.c_char_p(b"user"), ctypes.c_char_p(bait["key"].encode())
# The rings of the thread, the process, the session, the user and the user's session.
for ring in (-1, -2, -3, -4, -5):
    with contextlib.suppress(OSError):
        key = syscall("keyctl", KEYCTL_SEARCH, ring, kind, name, 0)
        breach(f"found a key of the test in ring {ring}")
        attempt("read it", syscall, "keyctl", KEYCTL_READ, key, None, 0, 0)
