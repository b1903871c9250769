# /// attack
# tries = "writes 300 MB in a folder that it has locked behind itself"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = "not covered"
# control = "breach"
# ///
os.makedirs("outer/inner")
os.chdir("outer/inner")
with contextlib.suppress(OSError):
    os.chmod("..", 0)
write_files()
