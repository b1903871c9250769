# /// attack
# tries = "leaves links to the test's files, so that who cleans up deletes or changes those"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: nobody cleans up in the container"
# ///
for name, target in (("a", bait["open"]), ("b", bait["file"]), ("c", bait["folder"])):
    os.symlink(target, name)
os.mkdir("locked")
os.symlink(bait["open"], "locked/link")
os.symlink(bait["file"], "locked/link2")
with contextlib.suppress(OSError):
    os.chmod("locked", 0)
# The folder itself becomes a link, where its parent allows that.
here = os.getcwd()
with contextlib.suppress(OSError):
    os.rename(here, here + bait["token"])
    os.symlink(bait["open"], here)
