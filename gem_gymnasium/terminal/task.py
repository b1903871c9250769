"""What a terminal task is: files as data, an instruction, checks with weights, a solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gem_gymnasium.terminal.scene import Scene


class File(NamedTuple):
    """A file that a task begins with."""

    data: bytes = b""
    mode: int = 0o644


class Link(NamedTuple):
    """A symbolic link that a task begins with."""

    target: str


@dataclass(frozen=True, slots=True)
class Look:
    """A check that reads what is left in the folder, as data."""

    passes: Callable[[Scene], bool]
    """May raise a ValueError, LookupError, TypeError or RecursionError: then it has not passed."""
    weight: int = 1
    reads_git: bool = False
    """Whether it looks at a git repository, whose packs are unpacked for it then."""


@dataclass(frozen=True, slots=True)
class Run:
    """A check that runs a command on copies of some files, in a fresh sandbox.

    What it prints is all that counts, and what it should print is not in that sandbox.
    """

    command: str
    files: tuple[str, ...]
    """Paths of the agent's that are copied, folders with all that is in them."""
    output: str
    """What it must write to stdout, but for white space at the ends."""
    given: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Files of the checker's own that stand beside them."""
    weight: int = 1


Check = Look | Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task: a value, drawn by a generator from a seed.

    Args:
        name: The generator's name.
        instruction: What is to be done, as the agent reads it.
        files: What is in the folder at the beginning, by path.
        checks: What is checked at the end. None of them passes where nothing was done.
        solution: Shell commands that earn everything; one command a turn.
        begin: A shell command that starts what runs at the beginning.
        daemons: Names of processes that ``begin`` starts; each is in the process's command line.
    """

    name: str
    instruction: str
    files: Mapping[str, File | Link]
    checks: tuple[Check, ...]
    solution: tuple[str, ...]
    begin: str = ""
    daemons: tuple[str, ...] = field(default=())


def text_file(text: str, mode: int = 0o644) -> File:
    """Return a file that holds a text."""
    return File(text.encode(), mode)


def lines_file(lines: list[str], mode: int = 0o644) -> File:
    """Return a file that holds lines."""
    return text_file("".join(f"{line}\n" for line in lines), mode)
