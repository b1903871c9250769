# /// attack
# tries = "deletes and renames files of the test"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
attempt("deleted a folder", os.rmdir, bait["empty"])
attempt("renamed a file", os.rename, bait["file"], bait["file"] + "2")
attempt("moved a file into the sandbox", os.rename, bait["file"], "taken")
attempt("deleted a file", os.unlink, bait["file"])
