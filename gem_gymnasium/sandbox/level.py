"""What every level of isolation is: one interface, whatever it is made of."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from gem_gymnasium.sandbox.policy import SESSION_CPU_S, Kind, Policy, Program

OPEN_FILES = 64
"""Files that a process may have open at once."""

MAX_FILES = 10_000
"""Files and folders that a run may have in its folder."""

MAX_DEPTH = 30
"""Folders in folders that a run may have."""

MAX_PATH = 3_000
"""Bytes of the longest path that is looked at."""

WORK = "/sandbox"
"""Where a program behind a file system of its own finds its folder."""

REMOVE_S = 60.0
"""How long a folder may take to be removed."""


class SandboxFailure(Exception):
    """The sandbox itself failed to start a program; becomes a Result with status ``failed``."""


class Ending(NamedTuple):
    """How a run's first process ended: an exit status, or minus a signal; None if unknown."""

    code: int | None
    failure: str = ""
    """What failed, if ``code`` is None."""

    @classmethod
    def as_of_a_shell(cls, status: int) -> Ending:
        """Return the ending of a program whose status says 128 and the number for a signal."""
        return cls(128 - status if 128 < status <= 128 + signal.SIGRTMAX else status)


class Running(ABC):
    """A started program: pipes to read, and the means to end it.

    ``stdout`` and ``stderr`` are non-blocking descriptors, ``ended`` becomes readable when the
    first process has ended. A session reads its ``requests`` and writes to ``answers`` after each
    run (-1: no session).
    """

    stdout: int
    stderr: int
    ended: int
    requests: int = -1
    answers: int = -1
    is_in_order: bool = True
    """Whether what was written to stdout before an answer can be read when the answer can."""

    @abstractmethod
    def kill(self) -> None:
        """Kill every process of the run; return at once."""

    @abstractmethod
    def wait(self, timeout_s: float) -> Ending:
        """Return how the run ended, once every process of it is gone.

        One that is not gone by then has failed: its ending says so.
        """

    def processes(self) -> list[int]:
        """Return the ids, on this machine, of all that runs; of a session its own comes first."""
        return []

    def excess(self) -> str:
        """Return which limit, looked at from outside, is passed; ``""`` for none."""
        return ""

    def interrupt(self) -> None:  # noqa: B027 - where processes can be signalled, they are
        """Interrupt whatever runs but the first process, as ^C in a terminal does."""

    def pause(self) -> None:  # noqa: B027 - most levels let a session run on
        """Stop a session between its runs."""

    def resume(self) -> None:  # noqa: B027
        """Let a session go on."""

    @abstractmethod
    def close(self) -> None:
        """Kill what is left, close every descriptor, remove the folder; idempotent."""

    def close_pipes(self) -> None:
        """Close what the program was read and fed by; idempotent."""
        close_all(self.stdout, self.stderr, self.answers, self.requests)
        self.stdout = self.stderr = self.answers = self.requests = -1


class Level(ABC):
    """One kind of isolation."""

    name: ClassVar[str]
    kinds: ClassVar[tuple[Kind, ...]]
    """What it can run."""
    isolated: ClassVar[bool] = True

    @abstractmethod
    def unavailable(self) -> str:
        """Return why this machine cannot reach the level, or ``""``."""

    def start(self, program: Program, policy: Policy) -> Running:
        """Start a program in a folder of its own, or in the policy's.

        Raises:
            SandboxFailure: The machinery failed, or the system has no process, user, file or
                memory left for it.
        """
        try:
            return self.begin(program, policy)
        except OSError as error:
            raise SandboxFailure(f"the program could not be started: {error}") from error

    @abstractmethod
    def begin(self, program: Program, policy: Policy) -> Running:
        """Start a program.

        Raises:
            SandboxFailure: The machinery failed.
            OSError: The system refused something.
        """


def sealed(what: str | bytes) -> int:
    """Return a descriptor from which ``what`` can be read, and that nobody can write."""
    data = what.encode("utf-8", "replace") if isinstance(what, str) else what
    if sys.platform != "linux":
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            return os.dup(file.fileno())
    descriptor = os.memfd_create("gem", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    seals = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor


def pipe() -> tuple[int, int]:
    """Return a pipe whose reading end never blocks."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    return reading, writing


def remove(folder: str) -> None:
    """Remove a folder, whatever a program did in it."""
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):  # closed folders, or folders in folders a thousand deep
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            arguments = [*command, "--", folder]
            subprocess.run(arguments, check=False, timeout=REMOVE_S, stderr=subprocess.DEVNULL)


def limits(
    program: Program, policy: Policy, interpreter_bytes: int = 0
) -> dict[str, tuple[int, int]]:
    """Return the (soft, hard) limits of one process, by the kernel's names (``RLIMIT_...``).

    ``AS`` is the program's memory and ``interpreter_bytes``.
    """
    cpu_s = SESSION_CPU_S if program.kind.endswith("session") else policy.cpu_limit_s
    fixed = {
        "AS": policy.memory_bytes + interpreter_bytes,
        "FSIZE": policy.disk_bytes,
        "NOFILE": OPEN_FILES,
        "NPROC": policy.processes,
        "CORE": 0,
    }
    # SIGXCPU says why; SIGKILL, a second later, is for whoever ignores it.
    return {"CPU": (cpu_s, cpu_s + 1), **{name: (value, value) for name, value in fixed.items()}}


def unlinked_bytes(pids: Iterable[int]) -> int:
    """Return the disk that processes hold by files which no folder lists any more.

    What cannot be looked into counts nothing: root without the right to trace (as in a container)
    sees nothing of another user's process.
    """
    sizes: dict[tuple[int, int], int] = {}
    for pid in pids:
        with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    file = entry.stat()
                    if stat.S_ISREG(file.st_mode) and not file.st_nlink:
                        sizes[file.st_dev, file.st_ino] = file.st_blocks * 512
    return sum(sizes.values())


def disk_excess(folder: str, policy: Policy, size: int = 0) -> str:
    """Return that a folder's files are too many or too big, or ``""``.

    ``size`` bytes count already.
    """
    count = 0
    waiting = [(folder, 0)]
    while waiting:
        place, depth = waiting.pop()
        if depth > MAX_DEPTH or len(os.fsencode(place)) > MAX_PATH:  # deeper ones cannot be seen
            return "folders too deep"
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                count += 1
                if count > MAX_FILES:
                    return f"over {MAX_FILES} files"
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
                    else:
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
    return f"over {policy.disk_bytes} bytes of files" if size > policy.disk_bytes else ""


def is_readable(descriptor: int, timeout_s: float) -> bool:
    """Wait until there is something to read, or the end; False if there is not within the time."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(timeout_s * 1000))


def close_all(*descriptors: int) -> None:
    """Close descriptors; -1 stands for none."""
    for descriptor in descriptors:
        if descriptor >= 0:
            os.close(descriptor)
