# /// attack
# tries = "finds open files that the test, or the sandbox, left to it, and reads and writes them"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import stat

climb = "../" * 40
for number in range(3, 1025):
    with contextlib.suppress(OSError):
        found = os.fstat(number)
        if [found.st_dev, found.st_ino] == bait["inherited"]:
            breach("holds a file of the test")
        if stat.S_ISDIR(found.st_mode):
            # A folder of the library is the sandbox's to give, but not what lies above it.
            for path in (bait["public"], bait["home"], "/etc/shadow"):
                attempt(f"climbed to {path}", os.open, climb + path[1:], 0, dir_fd=number)
            attempt("made a file", os.open, bait["token"], os.O_CREAT | 1, dir_fd=number)
            continue
        breach(f"holds descriptor {number} of mode {found.st_mode:o}")
        os.set_blocking(number, False)
        attempt(f"wrote to descriptor {number}", os.write, number, b"\xff" * 64)
        attempt(f"read from descriptor {number}", os.read, number, 64)
