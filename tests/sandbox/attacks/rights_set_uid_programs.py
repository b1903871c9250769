# /// attack
# tries = "may still gain rights by starting a set-uid program"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
PR_GET_NO_NEW_PRIVS = 39
with contextlib.suppress(OSError):
    if syscall("prctl", PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1:
        breach("set-uid programs would give it rights")
