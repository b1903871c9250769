# /// attack
# tries = "writes 300 MB into deleted open files of a folder that outlives the run"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = "not covered: deleted open files of a folder that outlives the run"
# rlimit = "not covered"
# control = "breach"
# kept_folder = true
# ///
CHUNK = bytes(1 << 20)
total = 0
held = []
with contextlib.suppress(OSError):
    while total < 300 << 20:
        file = open("file", "wb", buffering=0)
        held.append(file)
        os.unlink("file")
        time.sleep(0.02)
        with contextlib.suppress(OSError):
            for _ in range(8):
                total += file.write(CHUNK)
if total >= 300 << 20:
    breach("wrote 300 MB")
