"""What is left in a folder after an episode, read as data: nothing is followed, nothing is run.

The folder is hostile: links that lead outside, devices and pipes that would block, files without
end, names that are no text, folders without bottom. Everything that worked in it is dead by now.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

Kind = Literal["file", "folder", "link", "other"]

MAX_ENTRIES = 10_000
MAX_DEPTH = 30
MAX_FILE_BYTES = 1 << 20
MAX_BYTES = 32 << 20


class Entry(NamedTuple):
    """What one path is."""

    kind: Kind
    mode: int = 0
    """Permission bits."""
    data: bytes | None = None
    """What a file holds; None if that is too much, or cannot be read."""
    target: str = ""
    """Where a link leads."""


class Scene(NamedTuple):
    """What a checker sees.

    Args:
        entries: What was left in the folder, by path (``a/b``); only so much is looked at.
        alive: Which of the task's daemons still ran.
    """

    entries: Mapping[str, Entry]
    alive: frozenset[str] = frozenset()

    def data(self, path: str) -> bytes | None:
        """Return what a file holds, None if there is no such plain file."""
        entry = self.entries.get(path)
        return entry.data if entry is not None and entry.kind == "file" else None

    def text(self, path: str) -> str | None:
        """Return a file as text, None if there is none."""
        data = self.data(path)
        try:
            return None if data is None else data.decode()
        except UnicodeDecodeError:
            return None

    def lines(self, path: str) -> list[str] | None:
        """Return a file's lines, without white space at their ends and empty ones at its end."""
        text = self.text(path)
        return None if text is None else [line.rstrip() for line in text.rstrip().split("\n")]

    def mode(self, path: str) -> int:
        """Return the permission bits of a file or folder, -1 if there is none."""
        entry = self.entries.get(path)
        return entry.mode if entry is not None and entry.kind in ("file", "folder") else -1

    def below(self, folder: str) -> list[str]:
        """Return the paths of everything in a folder but folders, sorted."""
        inside = f"{folder}/"
        return sorted(
            path
            for path, entry in self.entries.items()
            if path.startswith(inside) and entry.kind != "folder"
        )


def read_folder(folder: Path) -> dict[str, Entry]:
    """Return what is in a folder, by path, as far as the limits let it be looked at."""
    entries: dict[str, Entry] = {}
    left = MAX_BYTES
    waiting = [("", 0)]
    while waiting:
        place, depth = waiting.pop()
        for name in _names(folder / place):
            if len(entries) >= MAX_ENTRIES:
                return entries
            path = f"{place}/{name}" if place else name
            entry = _entry(folder / path, left)
            entries[path] = entry
            left -= len(entry.data or b"")
            if entry.kind == "folder" and depth < MAX_DEPTH:
                waiting.append((path, depth + 1))
    return entries


def _names(folder: Path) -> list[str]:
    """Return what a folder lists; bytes that are no text stay as ``os.fsdecode`` gives them."""
    for _ in range(2):
        try:
            return sorted(os.listdir(folder))
        except PermissionError:
            try:
                os.chmod(folder, 0o700)  # as its owner; what it was is known by now
            except OSError:
                return []
        except OSError:
            return []
    return []


def _entry(path: Path, left: int) -> Entry:
    """Return what one path is, reading at most ``left`` bytes of it."""
    try:
        status = os.lstat(path)
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISLNK(status.st_mode):
            return Entry("link", mode, target=os.readlink(path))
        if stat.S_ISDIR(status.st_mode):
            return Entry("folder", mode)
        if stat.S_ISREG(status.st_mode):
            return Entry("file", mode, _content(path, status.st_size, left))
    except OSError:
        pass
    return Entry("other")


def _content(path: Path, size: int, left: int) -> bytes | None:
    """Return what a plain file holds, None if that is too much."""
    if size > min(left, MAX_FILE_BYTES):
        return None
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except PermissionError:
        os.chmod(path, 0o600)
        descriptor = os.open(path, flags)
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read(MAX_FILE_BYTES)
