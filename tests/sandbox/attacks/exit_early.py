# /// attack
# tries = "ends at once with success, before anything is printed"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = ["ok"]
# control = "none: harms nobody"
# output = '^$'
# ///
print("never seen", end="")
os._exit(0)
