# /// attack
# tries = "closes its input, output and errors and goes on"
# zygote = ["timeout"]
# bwrap = ["timeout"]
# docker = ["timeout"]
# rlimit = ["timeout"]
# control = "none: held by the deadline only"
# policy = { time_s = 0.5 }
# ///
os.closerange(0, 1024)
time.sleep(15)
