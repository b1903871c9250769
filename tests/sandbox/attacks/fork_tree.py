# /// attack
# tries = "forks as a tree, each child forking on, until 200 processes or 3 s"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
end = time.monotonic() + 3
tokens, supply = os.pipe()
alive, report = os.pipe()
os.write(supply, b"." * 200)
os.close(supply)
root = os.getpid()
while time.monotonic() < end and os.read(tokens, 1):
    try:
        if os.fork() == 0:
            os.write(report, b"x")
    except OSError:
        break
if os.getpid() != root:
    time.sleep(max(0.0, min(1.0, end - time.monotonic())))
    os._exit(0)
time.sleep(0.3)
os.set_blocking(alive, False)
count = 0
with contextlib.suppress(BlockingIOError):
    count = len(os.read(alive, 4096))
if count > (0 if bait["level"] == "zygote" else bait["policy"]["processes"]):
    breach(f"{count} processes at once")
