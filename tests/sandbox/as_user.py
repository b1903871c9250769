"""Become an ordinary user and run a program, with its library in reach.

Started as root: ``as_user.py UID COMMAND...``. Where a folder on the way to the interpreter or the
tests (such as ``/root``) is closed to others, a mount namespace of this process shows an open
folder in its place, in which only what is needed is mounted. Standard library only.
"""

import ctypes
import os
import stat
import sys
from pathlib import Path

CLONE_NEWNS = 0x20000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18


def closed_folder(path: Path) -> Path | None:
    """Return the highest folder on the way to a path that others may not enter."""
    for place in reversed([path, *path.parents]):
        if place.is_dir() and not place.stat().st_mode & stat.S_IXOTH:
            return place
    return None


def open_ways(needed: list[Path]) -> None:
    """Make every path reachable for others, in this process's view only.

    Raises:
        OSError: The kernel refuses.
    """
    closed: dict[Path, list[Path]] = {}
    for path in needed:
        above = closed_folder(path)
        if above is not None:
            closed.setdefault(above, []).append(path)
    if not closed:
        return
    check(libc.unshare(CLONE_NEWNS), "unshare")
    check(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "private")
    for above, paths in closed.items():
        held = [os.open(path, os.O_PATH) for path in paths]
        check(libc.mount(b"none", bytes(above), b"tmpfs", 0, b"mode=0755"), f"cover {above}")
        for path, descriptor in zip(paths, held, strict=True):
            path.mkdir(parents=True, exist_ok=True)
            source = f"/proc/self/fd/{descriptor}".encode()
            check(libc.mount(source, bytes(path), None, MS_BIND | MS_REC, None), f"bind {path}")
            os.close(descriptor)


def needed_folders() -> list[Path]:
    """Return the folders without which this Python cannot run the tests."""
    roots = {Path(place).resolve() for place in (sys.prefix, sys.base_prefix, os.getcwd())}
    roots |= {Path(place).resolve() for place in sys.path if place and Path(place).is_dir()}
    return sorted(root for root in roots if not any(above in roots for above in root.parents))


def check(result: int, what: str) -> None:
    """Raise OSError for a call of C that failed."""
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


if __name__ == "__main__":
    libc = ctypes.CDLL(None, use_errno=True)
    uid = int(sys.argv[1])
    open_ways(needed_folders())
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.execv(sys.argv[2], sys.argv[2:])
