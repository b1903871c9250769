# /// attack
# tries = "leaves a process behind: double fork, a session of its own, standard files closed"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# policy = { time_s = 1.0 }
# ///
# What a sandbox without its own process tree lets live: it writes to the bait 1.5 s later.
with contextlib.suppress(OSError):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 3)
            time.sleep(1.5)
            with contextlib.suppress(OSError), open(bait["file"], "a") as file:
                file.write("a daemon was here")
        os._exit(0)
