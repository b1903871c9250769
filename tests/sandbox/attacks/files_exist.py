# /// attack
# tries = "learns whether a file of the test exists, its size and times, without opening it"
# zygote = "not covered: Landlock does not restrict stat, so names and sizes can be probed"
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
for action in (os.stat, os.lstat, os.readlink):
    attempt(f"{action.__name__} answered", action, bait["public"])
