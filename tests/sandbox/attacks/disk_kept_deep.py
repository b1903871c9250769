# /// attack
# tries = "writes 300 MB deep in a folder that outlives the run"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = "not covered"
# control = "breach"
# kept_folder = true
# ///
for _ in range(20):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)
write_files()
