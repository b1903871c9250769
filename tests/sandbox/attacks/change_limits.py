# /// attack
# tries = "changes the limits of a process of the test by prlimit"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import resource

for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_CORE):
    attempt("changed a limit", resource.prlimit, bait["process"], limit, (7, 7))
attempt("read a limit", resource.prlimit, bait["process"], resource.RLIMIT_NOFILE)
