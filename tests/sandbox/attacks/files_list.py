# /// attack
# tries = "lists the test's folder"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
attempt("listed the test's folder", os.listdir, bait["folder"])
attempt("entered the test's folder and listed it", lambda: (os.chdir(bait["open"]), os.listdir()))
