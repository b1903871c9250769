# /// attack
# tries = "goes on in threads after the main program has ended, deaf to exit"
# zygote = ["timeout", "ok"]
# bwrap = ["timeout", "ok"]
# docker = ["timeout", "ok"]
# rlimit = "not covered"
# control = "none: held by the deadline only"
# policy = { time_s = 0.7 }
# ///
import threading


def work():
    end = time.monotonic() + 15
    while time.monotonic() < end:
        time.sleep(0.05)


threading.Thread(target=work).start()
