# /// attack
# tries = "floods its output from a thread between the runs"
# zygote = ["ok", "limit"]
# bwrap = ["ok", "limit"]
# docker = "not covered: runs no sessions"
# rlimit = "not covered"
# control = "none: needs a session"
# session = true
# ///
import threading


def flood():
    end = time.monotonic() + 5
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            os.write(1, bytes(65536))


threading.Thread(target=flood, daemon=True).start()
