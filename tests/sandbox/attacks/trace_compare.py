# /// attack
# tries = "compares its files and memory with those of a process of the test by kcmp"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
KCMP_FILE, KCMP_VM = 0, 1
for kind in (KCMP_FILE, KCMP_VM):
    attempt("kcmp", syscall, "kcmp", os.getpid(), bait["process"], kind, 0, 0)
