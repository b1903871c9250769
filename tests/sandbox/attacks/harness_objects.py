# /// attack
# tries = "finds open sockets, files, mappings and processes of the harness among Python's objects"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: there is no harness in its process"
# ///
import gc
import io
import mmap
import socket
import subprocess
import threading

frame = sys._getframe()
for item in gc.get_objects():
    with contextlib.suppress(Exception):
        if isinstance(item, mmap.mmap | subprocess.Popen):
            breach(f"found {item!r}")
        if isinstance(item, socket.socket) and item.fileno() >= 0:
            breach(f"found {item!r}")
        if isinstance(item, io.FileIO) and not item.closed and item.fileno() > 2:
            breach(f"found the file {item!r}")
if threading.active_count() > 1:
    breach("a thread of the harness runs in the process")
