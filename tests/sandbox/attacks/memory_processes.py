# /// attack
# tries = "takes more memory than the policy allows in eight processes, each within its own limit"
# zygote = ["ok", "limit"]
# bwrap = ["ok", "limit"]
# docker = ["ok", "limit"]
# rlimit = "not covered"
# control = "breach"
# ///
goal = bait["policy"]["memory_bytes"] + (512 << 20)
report, done = os.pipe()
share = goal // 8
with contextlib.suppress(OSError):
    for _ in range(8):
        if os.fork() == 0:
            with contextlib.suppress(MemoryError):
                taken = [bytearray(b"x" * (1 << 20)) for _ in range(share >> 20)]
                os.write(done, b"x")
                time.sleep(1.5)
            os._exit(0)
os.close(done)
end = time.monotonic() + 4
count = 0
while time.monotonic() < end and count < 8 and os.read(report, 1):
    count += 1
if count == 8:
    breach(f"took {goal >> 20} MB in eight processes")
