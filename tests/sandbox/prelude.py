"""The first lines of every Python attack: they are put before its own and run in the sandbox."""

import contextlib
import json
import os
import sys
import time

bait = json.loads(sys.stdin.readline())


def breach(what):
    """Say that something got through."""
    os.write(1, f"BREACH {what}\n".encode())


def attempt(what, action, *args, **options):
    """Do something that must be refused; return whether it was not."""
    try:
        action(*args, **options)
    except OSError:
        return False
    breach(what)
    return True


def touch(action, *args, **options):
    """Do something to bait that may be refused, or ignored: the test looks whether it was done."""
    with contextlib.suppress(OSError):
        action(*args, **options)


def syscall(name, *args):
    """Call the kernel by name, past Python's own functions.

    Raises:
        OSError: The kernel refuses.
    """
    import ctypes
    import errno

    if name not in bait["syscalls"]:
        raise OSError(errno.ENOSYS, name)
    kernel = ctypes.CDLL(None, use_errno=True).syscall
    kernel.restype = ctypes.c_long
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in args]
    result = kernel(ctypes.c_long(bait["syscalls"][name]), *words)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


CHUNK = bytes(1 << 20)
MUCH = 300 << 20


def write_files():
    """Write 300 MB into files where the program stands, slowly enough to be seen."""
    total = 0
    with contextlib.suppress(OSError):
        for number in range(75):
            with open(f"file-{number}", "wb", buffering=0) as file:
                for _ in range(4):
                    total += file.write(CHUNK)
            time.sleep(0.01)
    if total >= MUCH:
        breach("wrote 300 MB")


def write_unlinked():
    """Write 300 MB into open files that no folder lists."""
    total = 0
    held = []
    with contextlib.suppress(OSError):
        while total < MUCH:
            file = open("file", "wb", buffering=0)  # noqa: SIM115 - held
            held.append(file)
            os.unlink("file")
            time.sleep(0.02)
            with contextlib.suppress(OSError):
                for _ in range(8):
                    total += file.write(CHUNK)
    if total >= MUCH:
        breach("wrote 300 MB")
