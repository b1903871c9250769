# /// attack
# tries = "forgets that it shall die with its parent; the test kills the sandbox's own processes"
# zygote = ["failed"]
# bwrap = ["failed"]
# docker = "not covered: an engine's processes are not the test's to kill"
# rlimit = "not covered"
# control = "none: the container's own caller would be killed"
# during = "kill"
# policy = { time_s = 4.0 }
# ///
PR_SET_PDEATHSIG = 1
with contextlib.suppress(OSError):
    syscall("prctl", PR_SET_PDEATHSIG, 0, 0, 0, 0)
with contextlib.suppress(OSError):
    os.setsid()
end = time.monotonic() + 15
while time.monotonic() < end:
    time.sleep(0.1)
