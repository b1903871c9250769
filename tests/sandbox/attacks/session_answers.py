# /// attack
# tries = "answers its session itself, again and again, while it goes on"
# zygote = ["ok", "error", "timeout"]
# bwrap = ["ok", "error", "timeout"]
# docker = "not covered: runs no sessions"
# rlimit = "not covered"
# control = "none: needs a session"
# session = true
# policy = { time_s = 1.0 }
# ///
# Only its own later runs can be confused by that: the next session is what the test looks at.
for number in range(3, 64):
    with contextlib.suppress(OSError):
        os.set_blocking(number, False)
        os.write(number, b"o" * 100_000)
end = time.monotonic() + 10
while time.monotonic() < end:
    time.sleep(0.01)
