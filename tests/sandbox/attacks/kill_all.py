# /// attack
# tries = "reaches every process it may signal: kill(-1) with the empty signal"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
# Signal 0 asks for the permission and does nothing, whoever it would reach.
def reach():
    os.kill(-1, 0)


# In a process namespace of its own there may be others of the sandbox, which it may end.
if bait["level"] in ("zygote", "control"):
    attempt("may signal other processes", reach)
