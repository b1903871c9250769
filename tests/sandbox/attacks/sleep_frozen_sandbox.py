# /// attack
# tries = "sleeps while the test stops the sandbox's own processes, as if an attack had"
# zygote = ["failed", "timeout"]
# bwrap = ["failed", "timeout"]
# docker = "not covered: an engine's processes are not the test's to kill"
# rlimit = "not covered"
# control = "none: the container's own caller would be stopped"
# during = "stop"
# policy = { time_s = 1.5 }
# ///
time.sleep(15)
