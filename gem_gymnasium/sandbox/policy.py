"""What a program may use (Policy) and what became of it (Result)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.sandbox.libraries import STANDARD, Library

Status = Literal["ok", "error", "timeout", "limit", "failed"]
Kind = Literal["python", "session", "shell", "shell session"]

SESSION_CPU_S = 3_600
"""CPU seconds of a process of a session over all its runs; each run has its own deadline."""


class Place(NamedTuple):
    """A folder of this machine that a program finds at a path of its own."""

    source: Path
    target: str
    """An absolute path."""
    writable: bool = False
    """Whether the program may change what is in it; started by root, it is then given to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What one run may use. There is never a network.

    Args:
        time_s: Seconds on the clock; then every process of the run is killed (``timeout``).
        cpu_s: CPU seconds of one process (``limit``); None for ``time_s`` rounded up, and one.
        memory_bytes: Memory that the program may take beside the interpreter's own, in one process
            and, where processes can be started, in all together.
        processes: Processes and threads at once. Level ``zygote`` starts no process at all.
        output_bytes: Bytes of stdout, and of stderr; beyond them the run is killed (``limit``).
        disk_bytes: Bytes of one file, and of all files in the folder.
        folder: A folder to work in that outlives the run, and whose files the run may change;
            None for an empty one that is removed afterwards. Started by root, it is given to the
            run's user, so that only one run at a time can work in it.
        places: Other folders of this machine that the program finds, at levels ``bwrap`` and
            ``docker``; what is written to them no limit counts.
        image: The container image of level ``docker``, which the others do not use; it must be at
            the engine already, and hold ``python3`` (3.11 or newer) for Python, ``sh`` and ``dd``
            for shells.

    Raises:
        ConfigError: A value is not positive, the image has no name, or a folder does not exist.
    """

    time_s: float = 5.0
    cpu_s: int | None = None
    memory_bytes: int = 1 << 30
    processes: int = 32
    output_bytes: int = 65_536
    disk_bytes: int = 64 << 20
    folder: Path | None = None
    places: tuple[Place, ...] = ()
    image: str = "python:3.11-slim"

    def __post_init__(self) -> None:
        for name in ("time_s", "memory_bytes", "processes", "output_bytes", "disk_bytes"):
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise ConfigError(f"{name} must be positive and finite, got {value!r}")
        if self.cpu_s is not None and self.cpu_s < 1:
            raise ConfigError(f"cpu_s must be None or at least 1, got {self.cpu_s}")
        if not self.image.strip():
            raise ConfigError("image must name a container image, got an empty name")
        if self.folder is not None and not Path(self.folder).is_dir():
            raise ConfigError(f"folder must be an existing folder, got {str(self.folder)!r}")
        for place in self.places:
            if not Path(place.source).is_dir() or not place.target.startswith("/"):
                raise ConfigError(
                    f"a place is an existing folder and an absolute path, got {place}"
                )

    @property
    def given_folders(self) -> tuple[Path, ...]:
        """The folders of this machine that the program may change."""
        own = () if self.folder is None else (self.folder,)
        return (*own, *(place.source for place in self.places if place.writable))

    @property
    def cpu_limit_s(self) -> int:
        """CPU seconds of one process."""
        return math.ceil(self.time_s) + 1 if self.cpu_s is None else self.cpu_s


DEFAULT = Policy()


class Program(NamedTuple):
    """What to run: a Python source, a shell command, or (no text) a session of either."""

    kind: Kind
    text: str = ""
    stdin: str = ""
    library: Library = STANDARD


class Result(NamedTuple):
    """What became of a run.

    Args:
        output: What it wrote to stdout, up to the policy's ``output_bytes``.
        errors: What it wrote to stderr, ditto; a traceback, for Python.
        status: ``ok``; ``error`` (the program's own fault: an exception, an exit status, a
            signal); ``timeout``; ``limit`` (of CPU, memory, output or disk); ``failed`` (the
            sandbox itself failed, which says nothing about the program).
        level: The isolation it ran in.
        detail: What ended it, in a few words; ``""`` if nothing out of the ordinary.
    """

    output: str
    errors: str
    status: Status
    level: str
    detail: str
