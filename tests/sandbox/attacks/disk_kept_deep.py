# /// attack
# tries = "writes 300 MB deep in a folder that outlives the run"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = "not covered"
# control = "breach"
# kept_folder = true
# ///
CHUNK = bytes(1 << 20)
for _ in range(20):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)
total = 0
with contextlib.suppress(OSError):
    for number in range(75):
        with open(f"file-{number}", "wb", buffering=0) as file:
            for _ in range(4):
                total += file.write(CHUNK)
        time.sleep(0.01)
if total >= 300 << 20:
    breach("wrote 300 MB")
