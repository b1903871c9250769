# /// attack
# tries = "leaves a folder that is hard to delete: 1,200 deep, without permissions, odd names"
# zygote = ["ok", "limit"]
# bwrap = ["ok", "limit"]
# docker = ["ok", "limit"]
# rlimit = "not covered"
# control = "none: the container is thrown away whole"
# ///
kept = os.getcwd()
for _ in range(1200):
    os.mkdir("deep" * 5)
    os.chdir("deep" * 5)
os.chdir(kept)
os.mkdir("locked")
for name in (b"\xff\xfe", b"\n", b"-rf", b"'", b" ", b"x" * 255):
    with open(os.path.join(b"locked", name), "wb") as file:
        file.write(b"x")
with contextlib.suppress(OSError):
    os.chmod("locked", 0)
with contextlib.suppress(OSError):
    os.chmod(".", 0)
