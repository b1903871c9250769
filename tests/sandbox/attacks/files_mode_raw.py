# /// attack
# tries = "changes mode, times and attributes of a file of the test by the newest system calls"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

AT_FDCWD = -100
path = ctypes.c_char_p(bait["file"].encode())
# The same attributes that the file has, so that the call can only fail for want of permission.
attributes = (ctypes.c_ulong * 3)(ctypes.addressof(ctypes.create_string_buffer(b"x")), 1, 0)
touch(syscall, "fchmodat2", AT_FDCWD, path, 0o606, 0)
touch(syscall, "fchmodat", AT_FDCWD, path, 0o606)
touch(syscall, "utimensat", AT_FDCWD, path, None, 0)
name = ctypes.c_char_p(b"user.bait")
touch(syscall, "setxattrat", AT_FDCWD, path, 0, name, attributes, 16)
# Through a descriptor that names the file without opening it.
with contextlib.suppress(OSError):
    held = os.open(bait["file"], os.O_PATH)
    empty = ctypes.c_char_p(b"")
    touch(syscall, "fchmodat2", held, empty, 0o606, 0x1000)
    touch(syscall, "fchownat", held, empty, -1, os.getgid(), 0x1000)
