"""What a run must leave as it was in the process that called the sandbox, and around it."""

import os
import resource
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

MAX_GROWTH_BYTES = 64 << 20


def descendants(pid: int) -> set[int]:
    """Return the processes that a process started and all that those started, dead ones too."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry))
    found: set[int] = set()
    reached = [pid]
    while reached:
        reached = [child for parent in reached for child in children.get(parent, [])]
        found.update(reached)
    return found


def resident_bytes(pid: int | str = "self") -> int:
    """Return how much memory of a process lies in RAM."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


class Surroundings(NamedTuple):
    """The caller's own state at one moment."""

    processes: set[int]
    files: int
    threads: int
    temporary: set[str]
    resident: int

    @classmethod
    def now(cls) -> "Surroundings":
        """Look."""
        return cls(
            processes=descendants(os.getpid()),
            files=len(os.listdir("/proc/self/fd")),
            threads=threading.active_count(),
            temporary=set(os.listdir(tempfile.gettempdir())),
            resident=resident_bytes(),
        )

    def changes(self, patience_s: float = 1.0) -> list[str]:
        """Return what is there now that was not; what is on its way out gets some time."""
        end = time.monotonic() + patience_s
        while (found := self.changes_now()) and time.monotonic() < end:
            time.sleep(0.02)
        return found

    def changes_now(self) -> list[str]:
        """Return what is there now that was not."""
        now = Surroundings.now()
        found = [
            f"process {pid} was left: {_describe(pid)}" for pid in now.processes - self.processes
        ]
        found += [
            f"{name} was left in the temporary folder" for name in now.temporary - self.temporary
        ]
        if now.files > self.files:
            found.append(f"{now.files - self.files} open files were left")
        if now.threads > self.threads:
            found.append(f"{now.threads - self.threads} threads were left")
        if now.resident - self.resident > MAX_GROWTH_BYTES:
            found.append(f"the caller grew by {(now.resident - self.resident) >> 20} MB")
        return found


def _describe(pid: int) -> str:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
        return repr(command[:120] or Path(f"/proc/{pid}/stat").read_text()[:40])
    except OSError:
        return "gone meanwhile"
