# /// attack
# tries = "closes every file by which its session speaks with the caller"
# zygote = ["error"]
# bwrap = ["error"]
# docker = "not covered: runs no sessions"
# rlimit = "not covered"
# control = "none: needs a session"
# session = true
# ///
os.closerange(0, 64)
