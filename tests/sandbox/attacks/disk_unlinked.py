# /// attack
# tries = "writes 300 MB into open files that have no name any more"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = "not covered"
# control = "breach"
# ///
write_unlinked()
