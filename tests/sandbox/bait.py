"""Bait for the escape corpus: what the attacks are told of, and whether anyone touched it.

All of it is the test's own: files in a folder of the test and one in the home folder, ports on
loopback, a process, a key, a variable. It is told to the attacks as JSON (``Bait.told``), the
secrets left out, and looked at again after each run (``Bait.disturbed``).
"""

import contextlib
import ctypes
import os
import secrets
import shutil
import struct
import sys
import sysconfig
from pathlib import Path
from typing import Any

from tests.sandbox.bait_process import BaitProcess
from tests.sandbox.bait_system import Keys, Leftovers, Ports
from tests.sandbox.numbers import numbers

SECRET_MARK = "GEM-BAIT-"
SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/", "/etc", "/usr", "/usr/bin")


class Bait:
    """Everything that an attack may go for."""

    def __init__(self, folder: Path, home: Path, token: str, variable: str) -> None:
        """Lay the bait below ``folder``, which other users must be able to reach."""
        self.token = token
        self.variable = variable
        self.secret = SECRET_MARK + secrets.token_hex(16)
        self.folder = folder
        self.files = Files(folder, home, token, self.secret)
        self.ports = Ports(self.files.open, token)
        self.process = BaitProcess(self.secret, self.files.secret)
        self.keys = Keys(token, self.secret)
        self.left = Leftovers(token)

    def told(self, level: str, policy: dict[str, Any]) -> dict[str, Any]:
        """Return what an attack is given."""
        return {
            "level": level,
            "policy": policy,
            "token": self.token,
            "variable": self.variable,
            "caller": os.getpid(),
            "syscalls": numbers(),
            "key": self.keys.name,
            "ipc_key": self.left.first_key,
            **self.files.told(),
            **self.ports.told(),
            **self.process.told(),
        }

    def disturbed(self) -> list[str]:
        """Return what happened to the bait since it was laid or last looked at; mend it."""
        return [
            *self.files.disturbed(),
            *self.ports.disturbed(),
            *self.process.disturbed(),
            *self.keys.disturbed(),
            *self.left.disturbed(),
        ]

    def close(self) -> None:
        """Take the bait away."""
        self.process.close()
        self.ports.close()
        self.files.close()


def outside(home: Path, token: str) -> tuple[Path, Path, Path]:
    """Return where bait lies that is in no folder of the test's, or could lie."""
    return (
        home / f".{token}",
        Path(sys.prefix, "lib", f"{token}.txt"),
        Path(sysconfig.get_paths()["purelib"], f"{token.replace('-', '_')}.py"),
    )


class Files:
    """Bait files: secrets, files and folders that all may write, one in the home folder."""

    def __init__(self, folder: Path, home: Path, token: str, secret: str) -> None:
        self.folder, self.token, self.text = folder, token, secret
        self.secret, self.public = folder / "secret", folder / "public"
        self.open = folder / "open"
        self.file, self.empty = self.open / "file", self.open / "empty"
        self.inherited = folder / "inherited"
        self.home, self.library, self.package = self.outside = outside(home, token)
        self.places = [home, self.library.parent, self.open, *map(Path, SHARED_FOLDERS)]
        self.held = -1
        self.lay()

    def lay(self) -> None:
        """Write every file anew and note how it is."""
        self.take_away()
        self.folder.mkdir(mode=0o755, exist_ok=True)
        for path in (self.open, self.empty):
            path.mkdir()
            path.chmod(0o777)
        modes = {self.secret: 0o600, self.public: 0o644, self.file: 0o666, self.inherited: 0o600}
        for path, mode in modes.items():
            path.write_text(self.text, encoding="ascii")
            path.chmod(mode)
        self.held = os.open(self.inherited, os.O_RDWR)
        os.set_inheritable(self.held, True)
        self.optional = [path for path in self.outside if self.wrote(path)]
        self.watched = [*modes, self.open, self.empty, *self.optional]
        self.seen = self.look()

    def wrote(self, path: Path) -> bool:
        """Lay bait where it may be impossible, and only in a folder of one's own."""
        try:
            if path.parent.stat().st_uid != os.getuid():
                return False
            path.write_text(f"# {self.text}", encoding="ascii")
            path.chmod(0o644)
        except OSError:
            return False
        return True

    def told(self) -> dict[str, Any]:
        """Return the paths, and what else finds the files."""
        status = os.fstat(self.held)
        names = ("folder", "secret", "public", "open", "file", "empty")
        return {
            **{name: str(getattr(self, name)) for name in names},
            "home": str(self.home if self.home in self.optional else self.secret),
            "library": str(self.library) if self.library in self.optional else None,
            "package": str(self.package) if self.package in self.optional else None,
            "inherited": [status.st_dev, status.st_ino],
            "handle": handle(self.secret),
        }

    def look(self) -> dict[str, tuple[Any, ...]]:
        """Return what a change of a file would change."""
        return {str(path): _status(path) for path in self.watched}

    def disturbed(self) -> list[str]:
        """Return which files were changed, and which appeared."""
        now = self.look()
        found = [f"{path} was changed" for path, was in self.seen.items() if now[path] != was]
        for place in self.places:
            with contextlib.suppress(OSError):
                names = [name for name in os.listdir(place) if self.token in name]
                strays = [place / name for name in names]
                found += [f"{path} appeared" for path in strays if self.is_stray(path)]
        if found:
            self.lay()
        return found

    def is_stray(self, path: Path) -> bool:
        """Whether the test itself did not put this there; then it is removed."""
        if path in (*self.outside, self.folder, self.folder.parent):
            return False
        _remove(path)
        return True

    def take_away(self) -> None:
        """Remove every bait file."""
        if self.held >= 0:
            os.close(self.held)
            self.held = -1
        for path in self.outside:
            with contextlib.suppress(OSError):
                path.unlink()
        for path in (self.open, self.secret, self.public, self.inherited):
            _remove(path)

    def close(self) -> None:
        """Remove every bait file and the folder."""
        self.take_away()
        _remove(self.folder)


def handle(path: Path) -> dict[str, Any] | None:
    """Return a file's handle, as open_by_handle_at takes it; None if it has none."""
    buffer = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    name = ctypes.c_char_p(os.fsencode(path))
    number = numbers().get("name_to_handle_at")
    libc = ctypes.CDLL(None)
    if number is None or libc.syscall(number, -100, name, buffer, ctypes.byref(mount), 0) != 0:
        return None
    size, kind = struct.unpack_from("Ii", buffer)
    return {"kind": kind, "hex": buffer.raw[8 : 8 + size].hex()}


def _status(path: Path) -> tuple[Any, ...]:
    try:
        status = path.lstat()
    except OSError:
        return ()
    owner = (status.st_mode, status.st_uid, status.st_gid, status.st_nlink)
    return (status.st_ino, *owner, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
