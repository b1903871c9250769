"""Read a git repository as data: its references and loose objects. No git is run on it.

A repository that an agent leaves is hostile: its configuration and hooks name programs to run, and
a few trees that name each other many times are millions of files. Only objects count whose content
has the name that they are found under, and only so many are read.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from gem_gymnasium.terminal.scene import Scene

MAX_OBJECT_BYTES = 1 << 20
MAX_COMMITS = 1_000
MAX_OBJECTS = 10_000
"""Objects that one ``Repository`` reads, those that it reads again included."""

MAX_BYTES = 32 << 20
"""Bytes of all these objects together."""

MAX_PATH_CHARS = 4_096

_NAME = re.compile(r"[0-9a-f]{40}")


class Commit(NamedTuple):
    """A commit: the names of its tree and parents, and what was said of it."""

    name: str
    tree: str
    parents: tuple[str, ...]
    message: str


class Repository:
    """What a scene holds of a repository in ``folder`` (``""``: the scene's own).

    It reads ``MAX_OBJECTS`` objects of ``MAX_BYTES`` at most; beyond that there are none.
    """

    def __init__(self, scene: Scene, folder: str = "") -> None:
        self._scene = scene
        self._git = f"{folder}/.git" if folder else ".git"
        self._objects_left, self._bytes_left = MAX_OBJECTS, MAX_BYTES

    def branch(self, name: str) -> str:
        """Return the commit that a branch names, ``""`` if there is no such branch."""
        return self._reference(f"refs/heads/{name}")

    def branches(self) -> set[str]:
        """Return the names of all branches."""
        inside = f"{self._git}/refs/heads/"
        loose = {path.removeprefix(inside) for path in self._scene.below(inside.rstrip("/"))}
        packed = {name.removeprefix("refs/heads/") for name in self._packed()}
        return loose | {name for name in packed if not name.startswith("refs/")}

    def head(self) -> str:
        """Return the branch that is checked out, ``""`` if none is."""
        text = (self._scene.text(f"{self._git}/HEAD") or "").strip()
        return text.removeprefix("ref: refs/heads/") if text.startswith("ref: refs/heads/") else ""

    def commit(self, name: str) -> Commit:
        """Return a commit.

        Raises:
            ValueError: There is no such commit among the loose objects.
        """
        head, _, message = self._object(name, "commit").decode().partition("\n\n")
        lines = [line.split(" ") for line in head.split("\n")]
        parents = tuple(line[1] for line in lines if line[0] == "parent")
        return Commit(name, lines[0][1], parents, message.strip())

    def history(self, name: str) -> list[Commit]:
        """Return a commit and its first parents, the newest first.

        Raises:
            ValueError: As for ``commit``.
        """
        commits = [self.commit(name)]
        while commits[-1].parents and len(commits) < MAX_COMMITS:
            commits.append(self.commit(commits[-1].parents[0]))
        return commits

    def files(self, name: str) -> dict[str, str]:
        """Return the texts in a commit, by path.

        Raises:
            ValueError: As for ``commit``.
        """
        found: dict[str, str] = {}
        waiting = [(self.commit(name).tree, "")]
        while waiting:
            tree, folder = waiting.pop()
            for mode, path, inside in _entries(self._object(tree, "tree")):
                place = folder + path
                if len(place) > MAX_PATH_CHARS or len(waiting) >= MAX_OBJECTS:
                    raise ValueError("there is too much to read")
                if mode == "40000":
                    waiting.append((inside, f"{place}/"))
                else:
                    found[place] = self._object(inside, "blob").decode()
        return found

    def _reference(self, name: str) -> str:
        text = (self._scene.text(f"{self._git}/{name}") or "").strip()
        return text if _NAME.fullmatch(text) else self._packed().get(name, "")

    def _packed(self) -> dict[str, str]:
        lines = (self._scene.text(f"{self._git}/packed-refs") or "").splitlines()
        pairs = [line.split(" ") for line in lines if _NAME.match(line)]
        return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}

    def _object(self, name: str, kind: str) -> bytes:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name[:50]!r} names no object")
        if self._objects_left <= 0 or self._bytes_left <= 0:
            raise ValueError("there is too much to read")
        packed = self._scene.data(f"{self._git}/objects/{name[:2]}/{name[2:]}")
        if packed is None:
            raise ValueError(f"there is no loose object {name}")
        try:
            data = zlib.decompressobj().decompress(packed, MAX_OBJECT_BYTES)
        except zlib.error as error:
            raise ValueError(f"object {name} is damaged") from error
        self._objects_left -= 1
        self._bytes_left -= len(data)
        if hashlib.sha1(data, usedforsecurity=False).hexdigest() != name:
            raise ValueError(f"object {name} is another")
        head, _, content = data.partition(b"\0")
        if head.partition(b" ")[0] != kind.encode():
            raise ValueError(f"object {name} is no {kind}")
        return content


def _entries(tree: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield the mode, the name and the object of each entry of a folder."""
    place = 0
    while place < len(tree):
        end = tree.index(b"\0", place)
        mode, _, path = tree[place:end].decode().partition(" ")
        place = end + 21
        yield mode, path, tree[end + 1 : place].hex()
