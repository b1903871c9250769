# /// attack
# tries = "forks 200 processes, more than the policy allows"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
end = time.monotonic() + 3
count = 0
while count < 200 and time.monotonic() < end:
    try:
        child = os.fork()
    except OSError:
        break
    if child == 0:
        time.sleep(max(0.0, end - time.monotonic()))
        os._exit(0)
    count += 1
if count > (0 if bait["level"] == "zygote" else bait["policy"]["processes"]):
    breach(f"{count} processes at once")
