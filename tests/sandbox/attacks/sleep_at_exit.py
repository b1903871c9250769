# /// attack
# tries = "ends, but sleeps in its exit hooks"
# zygote = ["timeout", "ok"]
# bwrap = ["timeout", "ok"]
# docker = ["timeout", "ok"]
# rlimit = "not covered"
# control = "none: held by the deadline only"
# policy = { time_s = 0.5 }
# ///
import atexit
import threading


class Last:
    def __del__(self, sleep=time.sleep):
        sleep(15)


last = Last()
atexit.register(time.sleep, 15)
threading._register_atexit(time.sleep, 15)
