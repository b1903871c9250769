# /// attack
# tries = "reads its input to the end, which must come"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = ["ok"]
# control = "none: harms nobody"
# output = '^done'
# ///
sys.stdin.read()
os.read(0, 1)
print("done")
