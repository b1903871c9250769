# /// attack
# tries = "finds a variable of the test's environment: os.environ, and the block the kernel gave"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes

name = bait["variable"].encode()
if name in " ".join(os.environ).encode():
    breach("the variable is in os.environ")
with contextlib.suppress(OSError), open("/proc/self/environ", "rb") as file:
    if name in file.read():
        breach("the variable is in /proc/self/environ")
# The block of arguments and environment lies above the stack, even where os.environ was emptied
# since. A write to a pipe reads memory without the risk of a crash.
libc = ctypes.CDLL(None)
reader, writer = os.pipe()
top = ctypes.c_void_p.in_dll(libc, "__libc_stack_end").value & ~4095
for page in range(top, top + (512 << 12), 4096):
    if libc.write(writer, ctypes.c_void_p(page), 4096) != 4096:
        break
    if name in os.read(reader, 4096):
        breach("the variable is in the memory of the process")
