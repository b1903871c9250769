# /// attack
# tries = "types into the terminal of the test (TIOCSTI)"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: the container has no terminal"
# ///
import fcntl

TIOCSTI = 0x5412
for number in (0, 1, 2):
    if os.isatty(number):
        breach(f"descriptor {number} is a terminal")
with contextlib.suppress(OSError):
    terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    breach("opened the terminal of the test")
    attempt("typed into it", fcntl.ioctl, terminal, TIOCSTI, b"x")
