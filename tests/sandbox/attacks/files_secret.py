# /// attack
# tries = "reads a secret of the test, once readable by its owner only and once by all"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
for path in (bait["secret"], bait["public"]):
    attempt(f"opened {os.path.basename(path)}", open, path, "rb")
