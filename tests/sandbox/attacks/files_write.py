# /// attack
# tries = "writes files outside its folder: into the test's, the home folder, the common ones"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
folders = [bait["open"], os.path.dirname(bait["home"]), "/tmp", "/var/tmp", "/dev/shm", "/run", "/"]
for folder in folders:
    # A sandbox may have a /tmp of its own: the test looks whether the file is really there.
    with contextlib.suppress(OSError), open(os.path.join(folder, bait["token"]), "w") as file:
        file.write("written")
attempt("wrote to a file of the test", open, bait["file"], "a")
