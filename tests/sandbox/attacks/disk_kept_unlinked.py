# /// attack
# tries = "writes 300 MB into deleted open files of a folder that outlives the run"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = "not covered: deleted open files of a folder that outlives the run"
# rlimit = "not covered"
# control = "breach"
# kept_folder = true
# ///
write_unlinked()
