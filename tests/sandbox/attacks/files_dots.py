# /// attack
# tries = "climbs out of its folder with dots, from file descriptors and after a chdir"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
here = os.open(".", os.O_PATH)
climb = "../" * 40
with contextlib.suppress(OSError):
    os.mkdir("deep")
    os.chdir("deep")
    above = os.open("..", os.O_PATH)
    os.rename("../deep", "../elsewhere")
    attempt("climbed by a held folder", os.open, climb + bait["public"][1:], 0, dir_fd=above)
attempt("climbed by openat", os.open, climb + bait["public"][1:], os.O_RDONLY, dir_fd=here)
attempt("climbed by a path", open, climb + bait["public"][1:], "rb")
