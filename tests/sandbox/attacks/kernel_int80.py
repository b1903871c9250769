# /// attack
# tries = "calls by the 32-bit gate, int 0x80, whose numbers mean other calls"
# zygote = ["ok", "error"]
# bwrap = ["ok", "error"]
# docker = "not covered: the engine's own filter allows 32-bit calls"
# rlimit = "not covered"
# control = "none: some kernels are built without the 32-bit gate"
# machine = "x86_64"
# ///
import ctypes
import mmap

# push rbx; mov eax, edi; mov ebx, esi; mov ecx, edx; xor edx, edx; int 0x80; pop rbx; ret
CODE = bytes.fromhex("5389f889f389d131d2cd805bc3")
area = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
area.write(CODE)
address = ctypes.addressof(ctypes.c_char.from_buffer(area))
call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int)(address)
# The numbers of the 32-bit table: socket of family VSOCK, keyctl, unshare(user).
for name, number, first, second in (
    ("socket", 359, 40, 1),
    ("keyctl", 288, 0, -3),
    ("unshare", 310, 0x10000000, 0),
):
    if call(number, first, second) >= 0:
        breach(f"{name} by int 0x80")
