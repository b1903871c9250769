# /// attack
# tries = "watches a file of the test with inotify, to learn when it is read"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

IN_ALL = 0xFFF


def watch(path):
    watcher = syscall("inotify_init1", 0)
    syscall("inotify_add_watch", watcher, ctypes.c_char_p(path.encode()), IN_ALL)


attempt("watched a file of the test", watch, bait["file"])
attempt("watched a folder of the test", watch, bait["open"])
