# /// attack
# tries = "ends, but leaves the ends of its pipes to a child that sleeps"
# zygote = ["ok", "timeout"]
# bwrap = ["ok", "timeout"]
# docker = ["ok", "timeout"]
# rlimit = "not covered"
# control = "none: held by the deadline only"
# policy = { time_s = 1.0 }
# ///
with contextlib.suppress(OSError):
    if os.fork() == 0:
        time.sleep(10)
        os._exit(0)
