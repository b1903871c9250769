# /// attack
# tries = "keeps 300 MB in deleted files that travel in a socket, where no process holds them"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = "not covered: deleted open files of a folder that outlives the run"
# rlimit = "not covered"
# control = "breach"
# kept_folder = true
# ///
import array
import socket

left, right = socket.socketpair()
total = 0
with contextlib.suppress(OSError):
    while total < 300 << 20:
        held = os.open("file", os.O_CREAT | os.O_RDWR, 0o600)
        os.unlink("file")
        with contextlib.suppress(OSError):
            for _ in range(8):
                total += os.write(held, CHUNK)
        rights = array.array("i", [held])
        left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        os.close(held)
        time.sleep(0.02)
if total >= 300 << 20:
    breach("wrote 300 MB")
