# /// attack
# tries = "takes the uid and gid of root, and other groups"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
attempt("setuid", os.setuid, 0)
attempt("setresuid", os.setresuid, 0, 0, 0)
attempt("setgid", os.setgid, 0)
attempt("setresgid", os.setresgid, 0, 0, 0)
attempt("setgroups", os.setgroups, [0])
with contextlib.suppress(OSError):
    syscall("setfsuid", 0)
    if syscall("setfsuid", 0) == 0:
        breach("setfsuid")
if 0 in (os.getuid(), os.geteuid(), os.getgid(), os.getegid()) or 0 in os.getgroups():
    breach("runs as root, or in root's group")
