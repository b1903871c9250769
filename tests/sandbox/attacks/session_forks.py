# /// attack
# tries = "leaves processes in its session that outlive the run and the session"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = "not covered: runs no sessions"
# rlimit = "not covered"
# control = "none: needs a session"
# session = true
# ///
for _ in range(4):
    with contextlib.suppress(OSError):
        if os.fork() == 0:
            os.setsid()
            time.sleep(2)
            touch(open, bait["file"], "a")
            os._exit(0)
