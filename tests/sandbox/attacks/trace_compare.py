# /// attack
# tries = "compares its files with those of a process of the test by kcmp, and reads its groups"
# zygote = "not covered: its session, group and affinity can be asked for, its memory and files not"
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
KCMP_FILE, KCMP_VM = 0, 1
for kind in (KCMP_FILE, KCMP_VM):
    attempt("kcmp", syscall, "kcmp", os.getpid(), bait["process"], kind, 0, 0)
attempt("read its session", os.getsid, bait["process"])
attempt("read its affinity", os.sched_getaffinity, bait["process"])
