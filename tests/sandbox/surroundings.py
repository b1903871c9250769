"""What a run must leave as it was in the process that called the sandbox, and around it."""

import contextlib
import os
import resource
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from gem_gymnasium.sandbox import lasting

MAX_GROWTH_BYTES = 64 << 20


def descendants(pid: int) -> set[int]:
    """Return the processes that a process started and all that those started, dead ones too."""
    found: list[int] = [pid]
    for parent in found:
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{thread}/children", encoding="ascii") as file:
                    found += map(int, file.read().split())
    return {*found[1:]}


def parent_of(pid: int) -> int:
    """Return a process's parent; 0 if the process is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def resident_bytes(pid: int | str = "self") -> int:
    """Return how much memory of a process lies in RAM."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


class Surroundings(NamedTuple):
    """The caller's own state at one moment, as counts: levels replace their idle processes.

    Processes are those below the caller's parent, which takes over what loses its own.
    """

    processes: int
    files: int
    threads: int
    temporary: int
    resident_mb: int

    @classmethod
    def now(cls) -> "Surroundings":
        """Look."""
        return cls(
            processes=len(descendants(os.getppid())),
            files=len(os.listdir("/proc/self/fd")),
            threads=lasting.call(threading.active_count),  # with that one, which is to stay
            temporary=_count_files(tempfile.gettempdir(), 2),
            resident_mb=resident_bytes() >> 20,
        )

    @classmethod
    def settled(cls) -> "Surroundings":
        """Look when nothing has changed for a while."""
        before = cls.now()
        while True:
            time.sleep(0.3)
            now = cls.now()
            if now[:-1] == before[:-1]:
                return now
            before = now

    def changes(self, patience_s: float = 1.0) -> list[str]:
        """Return what there is more of now; what is on its way out gets some time."""
        end = time.monotonic() + patience_s
        while (found := self.changes_now()) and time.monotonic() < end:
            time.sleep(0.02)
        if any("processes" in line for line in found):
            found += [f"a process: {_describe(pid)}" for pid in descendants(os.getppid())]
        return found

    def changes_now(self) -> list[str]:
        """Return what there is more of now."""
        now = Surroundings.now()
        found = [
            f"{more} {name} were left"
            for name in ("processes", "files", "threads", "temporary")
            if (more := getattr(now, name) - getattr(self, name)) > 0
        ]
        if now.resident_mb - self.resident_mb > MAX_GROWTH_BYTES >> 20:
            found.append(f"the caller grew by {now.resident_mb - self.resident_mb} MB")
        return found


def _count_files(folder: str, depth: int) -> int:
    """Count what lies in a folder and, down to a depth, in its folders."""
    count = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            count += 1
            if depth > 1 and entry.is_dir(follow_symlinks=False):
                count += _count_files(entry.path, depth - 1)
    return count


def _describe(pid: int) -> str:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
        return repr(command[:120] or Path(f"/proc/{pid}/stat").read_text()[:40])
    except OSError:
        return "gone meanwhile"
