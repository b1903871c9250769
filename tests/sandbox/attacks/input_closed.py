# /// attack
# tries = "closes its input while much of it is unread"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = ["ok"]
# control = "none: harms nobody"
# padding = 4000000
# output = '^done'
# ///
os.close(0)
print("done")
