# /// attack
# tries = "writes 300 MB where a path is too long for whoever adds up the files"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = "not covered"
# control = "breach"
# ///
for _ in range(20):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)
write_files()
