# /// attack
# tries = "writes 300 MB in a folder that it has locked behind itself"
# zygote = ["ok", "error", "limit"]
# bwrap = ["ok", "error", "limit"]
# docker = ["ok", "error", "limit"]
# rlimit = "not covered"
# control = "breach"
# ///
CHUNK = bytes(1 << 20)
os.makedirs("outer/inner")
os.chdir("outer/inner")
with contextlib.suppress(OSError):
    os.chmod("..", 0)
total = 0
with contextlib.suppress(OSError):
    for number in range(75):
        with open(f"file-{number}", "wb", buffering=0) as file:
            for _ in range(4):
                total += file.write(CHUNK)
        time.sleep(0.01)
if total >= 300 << 20:
    breach("wrote 300 MB")
