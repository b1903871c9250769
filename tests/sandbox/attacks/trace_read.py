# /// attack
# tries = "reads and writes the memory of a process of the test by process_vm_readv and _writev"
# zygote = ["ok"]
# bwrap = ["ok"]
# docker = ["ok"]
# rlimit = "not covered"
# control = "breach"
# ///
import ctypes


class Piece(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("size", ctypes.c_size_t)]


local = ctypes.create_string_buffer(8)
here = ctypes.byref(Piece(ctypes.addressof(local), 8))
there = ctypes.byref(Piece(bait["process_address"], 8))
attempt("read its memory", syscall, "process_vm_readv", bait["process"], here, 1, there, 1, 0)
attempt("wrote its memory", syscall, "process_vm_writev", bait["process"], here, 1, there, 1, 0)
