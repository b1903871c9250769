# /// attack
# tries = "reads the folders of other runs, which lie beside its own"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: there are no other runs in the container"
# ///
here = os.path.basename(os.getcwd())
beside = [str(number) for number in range(2_000)]
with contextlib.suppress(OSError):
    # A sandbox may show its own, empty root there.
    beside += [name for name in os.listdir("..") if name.startswith(("gem", "tmp"))]
for name in beside:
    if name != here and name != "tmp":
        attempt(f"listed {name}", os.listdir, f"../{name}")
        attempt(f"wrote to {name}", open, f"../{name}/{bait['token']}", "w")
