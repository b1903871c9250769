# /// attack
# tries = "empties a file of the test: truncate, O_TRUNC, O_TRUNC without writing"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
attempt("truncated", os.truncate, bait["file"], 0)
attempt("opened with O_TRUNC", os.open, bait["file"], os.O_WRONLY | os.O_TRUNC)
attempt("opened read-only with O_TRUNC", os.open, bait["file"], os.O_RDONLY | os.O_TRUNC)
