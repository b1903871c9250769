# /// attack
# tries = "stays in one call of C for minutes, where Python checks no signals"
# zygote = ["timeout"]
# bwrap = ["timeout"]
# docker = ["timeout"]
# rlimit = ["timeout"]
# control = "none: held by the deadline only"
# policy = { time_s = 0.5 }
# ///
import signal

# Its own alarm, whose default is death, bounds it should nobody else.
signal.setitimer(signal.ITIMER_REAL, 15)
sys.set_int_max_str_digits(0)
print(len(str(3 ** (3**17))))
