# /// attack
# tries = "reads bait in the home folder of the user who started the test"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
attempt("opened a file of the home folder", open, bait["home"], "rb")
with contextlib.suppress(OSError):
    # The folder itself may be seen where the interpreter lies in it.
    if os.path.basename(bait["home"]) in os.listdir(os.path.dirname(bait["home"])):
        breach("listed the home folder")
