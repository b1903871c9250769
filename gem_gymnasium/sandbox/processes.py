"""Processes of a run, seen and signalled from outside."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

FREEZE_S = 2.0
"""How long processes may take to stand still."""

PAUSE_S = 0.001
MAX_COMMAND = 4_096
STILL = frozenset("TtZX")
"""The states (of ``/proc/<pid>/stat``) in which a process does nothing: stopped, or dead."""


class Process(NamedTuple):
    """A process, as it was when it was looked at."""

    pid: int
    started: int
    """Clock ticks since the machine started."""
    state: str = ""
    command: str = ""
    """Its command line, the arguments parted by spaces."""

    @property
    def identity(self) -> tuple[int, int]:
        """What no other process has."""
        return self.pid, self.started


def look(pids: Iterable[int]) -> list[Process]:
    """Return what runs under these ids; the dead, and those not yet waited for, are left out."""
    found: list[Process] = []
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
            fields = stat.rpartition(")")[2].split()
            if fields[0] not in "ZX":
                found.append(Process(pid, int(fields[19]), fields[0], _command(pid)))
    return found


def identities(pids: Iterable[int]) -> set[tuple[int, int]]:
    """Return the ids of processes with the times when they started."""
    return {process.identity for process in look(pids)}


def _command(pid: int) -> str:
    with open(f"/proc/{pid}/cmdline", "rb") as stream:
        return (
            stream.read(MAX_COMMAND).rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")
        )


def send(number: signal.Signals, pids: Iterable[int]) -> None:
    """Send a signal to processes, as far as they are there."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def freeze(pids: Callable[[], list[int]]) -> bool:
    """Stop processes, and those that they start meanwhile; return whether all stand still."""
    deadline = time.monotonic() + FREEZE_S
    while moving := [process.pid for process in look(pids()) if process.state not in STILL]:
        if time.monotonic() > deadline:
            return False
        send(signal.SIGSTOP, moving)
        time.sleep(PAUSE_S)
    return True


def thaw(pids: Iterable[int]) -> None:
    """Let processes go on."""
    send(signal.SIGCONT, pids)
