"""Bait that is no file and no process: ports, keys, and what may be left behind in the kernel."""

import contextlib
import ctypes
import os
import socket
from pathlib import Path
from typing import Any

from tests.sandbox.numbers import numbers

_libc = ctypes.CDLL(None, use_errno=True)
_LOOPBACK = "127.0.0.1"


class Ports:
    """Sockets that wait for anything at all: TCP, UDP, Unix by path, Unix abstract."""

    def __init__(self, folder: Path, token: str) -> None:
        self.folder, self.token = folder, token
        self.sockets: dict[str, socket.socket] = {}
        self.lay("tcp", socket.AF_INET, socket.SOCK_STREAM, (_LOOPBACK, 0))
        self.lay("udp", socket.AF_INET, socket.SOCK_DGRAM, (_LOOPBACK, 0))
        self.lay("abstract", socket.AF_UNIX, socket.SOCK_STREAM, f"\0{token}-stream")
        self.lay("abstract_datagram", socket.AF_UNIX, socket.SOCK_DGRAM, f"\0{token}-datagram")
        with contextlib.suppress(OSError):
            self.lay("tcp6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0))
        self.lay_files()
        with socket.create_server((_LOOPBACK, 0)) as free:
            self.free_port: int = free.getsockname()[1]

    def lay(self, name: str, family: int, kind: int, address: Any) -> None:
        """Open one that waits."""
        end = self.sockets[name] = socket.socket(family, kind)
        end.bind(address)
        if kind == socket.SOCK_STREAM:
            end.listen(64)
        end.setblocking(False)

    def lay_files(self) -> None:
        """Open those that have a path, which may have been deleted with the folder."""
        for name, kind in (("stream", socket.SOCK_STREAM), ("datagram", socket.SOCK_DGRAM)):
            if name in self.sockets:
                self.sockets[name].close()
            self.lay(name, socket.AF_UNIX, kind, str(self.path(name)))
            self.path(name).chmod(0o777)

    def path(self, name: str) -> Path:
        """Return where a Unix socket lies."""
        return self.folder.parent / f"{name}.sock"

    def told(self) -> dict[str, Any]:
        """Return the addresses."""
        return {
            "tcp": self.sockets["tcp"].getsockname()[1],
            "tcp6": self.sockets["tcp6"].getsockname()[1] if "tcp6" in self.sockets else None,
            "udp": self.sockets["udp"].getsockname()[1],
            "free_port": self.free_port,
            "stream": str(self.path("stream")),
            "datagram": str(self.path("datagram")),
            "abstract": f"{self.token}-stream",
            "abstract_datagram": f"{self.token}-datagram",
        }

    def disturbed(self) -> list[str]:
        """Return which sockets were called, and take the calls away."""
        return [f"something reached {name}" for name in self.sockets if self.was_called(name)]

    def was_called(self, name: str) -> bool:
        """Whether anything waits at a socket."""
        end, called = self.sockets[name], False
        with contextlib.suppress(BlockingIOError):
            while True:
                if end.type == socket.SOCK_STREAM:
                    end.accept()[0].close()
                else:
                    end.recv(65536)
                called = True
        return called

    def close(self) -> None:
        """Close every socket."""
        for end in self.sockets.values():
            end.close()
        for name in ("stream", "datagram"):
            self.path(name).unlink(missing_ok=True)


class Keys:
    """A key in a key ring of the caller's session, where the kernel has key rings."""

    JOIN_SESSION, SEARCH, UNLINK = 1, 10, 9
    SESSION, USER, USER_SESSION = -3, -4, -5

    def __init__(self, token: str, secret: str) -> None:
        self.name, self.token = f"{token}-key", token
        data = secret.encode()
        self.keyctl(self.JOIN_SESSION, None)
        self.laid = _call("add_key", b"user", self.name.encode(), data, len(data), self.SESSION) > 0

    def keyctl(self, operation: int, *args: Any) -> int:
        """Make one operation; return its result, negative if it was refused."""
        return _call("keyctl", operation, *args)

    def disturbed(self) -> list[str]:
        """Return whether a key of an attack lies in a ring of the caller; remove it."""
        found: list[str] = []
        for ring in (self.SESSION, self.USER, self.USER_SESSION):
            key = self.keyctl(self.SEARCH, ring, b"user", self.token.encode(), 0)
            if key > 0:
                self.keyctl(self.UNLINK, key, ring)
                found.append(f"a key was left in ring {ring}")
        return found


class Leftovers:
    """What outlives its process in the kernel: System V objects and message queues."""

    COUNT = 100

    def __init__(self, token: str) -> None:
        self.token = token
        self.first_key = int.from_bytes(os.urandom(3)) << 7 | 1 << 20

    def disturbed(self) -> list[str]:
        """Return which objects are there that were not; remove them."""
        found: list[str] = []
        for kind, remove in (
            ("shm", self.drop_shm),
            ("msg", self.drop_msg),
            ("sem", self.drop_sem),
        ):
            for number in self.listed(kind):
                remove(number)
                found.append(f"a System V object was left: {kind} {number}")
        if _call("mq_unlink", self.token.encode()) == 0:
            found.append("a message queue was left")
        return found

    def listed(self, kind: str) -> list[int]:
        """Return the numbers of the objects that have one of the attack's keys."""
        keys = range(self.first_key, self.first_key + self.COUNT)
        with contextlib.suppress(OSError):
            rows = Path(f"/proc/sysvipc/{kind}").read_text(encoding="ascii").splitlines()[1:]
            return [int(row.split()[1]) for row in rows if int(row.split()[0]) in keys]
        return []

    def drop_shm(self, number: int) -> None:
        """Remove a segment."""
        _libc.shmctl(number, 0, None)

    def drop_msg(self, number: int) -> None:
        """Remove a queue."""
        _libc.msgctl(number, 0, None)

    def drop_sem(self, number: int) -> None:
        """Remove semaphores."""
        _libc.semctl(number, 0, 0)


def _call(name: str, *args: Any) -> int:
    number = numbers().get(name)
    if number is None:
        return -1
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in args]
    return int(_libc.syscall(ctypes.c_long(number), *words))
