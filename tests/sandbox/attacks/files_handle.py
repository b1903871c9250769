# /// attack
# tries = "opens a file of the test by its handle, past every path"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: needs the machine's own root"
# ///
import ctypes

if bait["handle"]:
    data = bytes.fromhex(bait["handle"]["hex"])
    head = len(data).to_bytes(4, sys.byteorder) + bait["handle"]["kind"].to_bytes(4, sys.byteorder)
    handle = ctypes.create_string_buffer(head + data)
    for folder in (".", "/", "/usr"):
        with contextlib.suppress(OSError):
            mount = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            attempt("opened a handle", syscall, "open_by_handle_at", mount, handle, os.O_RDONLY)
