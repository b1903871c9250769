# /// attack
# tries = "starts 200 threads, more than the policy allows"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import threading

hold = threading.Event()
threading.stack_size(128 << 10)
end = time.monotonic() + 3
count = 0
while count < 200 and time.monotonic() < end:
    try:
        threading.Thread(target=hold.wait, args=(3,), daemon=True).start()
    except RuntimeError:
        break
    count += 1
hold.set()
if count > bait["policy"]["processes"]:
    breach(f"{count} threads at once")
