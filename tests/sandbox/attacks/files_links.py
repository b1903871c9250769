# /// attack
# tries = "reaches files of the test through links that lie in its own folder"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
os.symlink(bait["public"], "to-file")
os.symlink(bait["open"], "to-folder")
attempt("read through a symbolic link", open, "to-file", "rb")
attempt("listed through a symbolic link", os.listdir, "to-folder")
attempt("wrote through a symbolic link", open, "to-folder/" + bait["token"], "w")
touch(os.chmod, "to-file", 0o600)
if attempt("linked a file of the test into its folder", os.link, bait["file"], "hard"):
    attempt("wrote through a hard link", open, "hard", "a")
