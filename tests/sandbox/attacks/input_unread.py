# /// attack
# tries = "leaves much input unread, so that a caller who writes it all first waits for ever"
# zygote = ["timeout"]
# bwrap = ["timeout"]
# docker = ["timeout"]
# rlimit = ["timeout"]
# control = "none: held by the deadline only"
# padding = 4000000
# policy = { time_s = 0.7 }
# ///
time.sleep(15)
