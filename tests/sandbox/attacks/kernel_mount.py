# /// attack
# tries = "mounts: a file system, a folder over another, by the old and the new calls"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

text = {name: ctypes.c_char_p(name.encode()) for name in ("tmpfs", "none", ".", "/", "/tmp")}
MS_BIND, MS_REMOUNT, MS_REC = 4096, 32, 16384
attempt("mounted", syscall, "mount", text["none"], text["."], text["tmpfs"], 0, None)
attempt("bound", syscall, "mount", text["/"], text["."], None, MS_BIND | MS_REC, None)
attempt("remounted", syscall, "mount", text["none"], text["/"], None, MS_REMOUNT | MS_BIND, None)
attempt("opened a file system", syscall, "fsopen", text["tmpfs"], 0)
attempt("took a tree", syscall, "open_tree", -100, text["/"], 1)
attempt("unmounted", syscall, "umount2", text["."], 2)
