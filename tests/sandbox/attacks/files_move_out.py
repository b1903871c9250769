# /// attack
# tries = "moves and links its own files into a folder of the test, where all may write"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

EXCHANGE = 2
AT_FDCWD = -100


def exchange(one, other):
    paths = [ctypes.c_char_p(path.encode()) for path in (one, other)]
    syscall("renameat2", AT_FDCWD, paths[0], AT_FDCWD, paths[1], EXCHANGE)


target = os.path.join(bait["open"], bait["token"])
for name in ("a", "b", "c"):
    with open(name, "w") as file:
        file.write("mine")
attempt("moved a file out", os.rename, "a", target + "-moved")
attempt("linked a file out", os.link, "b", target + "-linked")
attempt("made a symbolic link outside", os.symlink, os.path.abspath("b"), target + "-symlink")
attempt("made a folder outside", os.mkdir, target + "-folder")
attempt("made a pipe outside", os.mkfifo, target + "-pipe")
attempt("exchanged a file with the test's", exchange, os.path.abspath("c"), bait["file"])
