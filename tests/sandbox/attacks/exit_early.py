# /// attack
# tries = "ends at once with success, which must give no more than an empty output"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = ["ok"]
# control = "none: harms nobody"
# output = '^$'
# ///
os._exit(0)
