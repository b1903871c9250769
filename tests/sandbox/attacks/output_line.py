# /// attack
# tries = "writes too much without a line's end, then waits for its reader"
# zygote = ["limit"]
# bwrap = ["limit"]
# docker = ["limit"]
# rlimit = ["limit"]
# control = "none: held by a limit only"
# ///
os.write(1, b"x" * (2 * bait["policy"]["output_bytes"]))
time.sleep(4)
