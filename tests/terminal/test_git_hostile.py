"""Repositories made to be read without end: they are given up, and score nothing."""

import hashlib
import time
import zlib

import numpy as np
import pytest

from gem_gymnasium.terminal.checker import judge
from gem_gymnasium.terminal.families.git import undo_commit
from gem_gymnasium.terminal.git_reading import MAX_PATH_CHARS, Repository
from gem_gymnasium.terminal.scene import Entry, Scene

SECONDS = 5.0


class Objects:
    """Loose objects under construction."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}

    def add(self, kind: str, content: bytes) -> str:
        data = b"%s %d\0%s" % (kind.encode(), len(content), content)
        name = hashlib.sha1(data).hexdigest()
        path = f".git/objects/{name[:2]}/{name[2:]}"
        self.entries[path] = Entry("file", 0o444, zlib.compress(data))
        return name

    def tree(self, *entries: tuple[str, str, str]) -> str:
        parts = [f"{mode} {path}\0".encode() + bytes.fromhex(name) for mode, path, name in entries]
        return self.add("tree", b"".join(parts))

    def scene(self, tree: str) -> Scene:
        """Return a scene whose branch main has one commit, of this tree."""
        commit = self.add("commit", f"tree {tree}\n\nAll\n".encode())
        head = Entry("file", 0o644, f"{commit}\n".encode())
        return Scene({**self.entries, ".git/refs/heads/main": head})


def copies(levels: int, *, leaf: bytes | None = b"x") -> Scene:
    """Return ten folders in each of ten folders, ``levels`` deep, all the same."""
    objects = Objects()
    mode, name = "100644", "" if leaf is None else objects.add("blob", leaf)
    if leaf is None:
        mode, name = "40000", objects.tree()
    for _ in range(levels):
        name, mode = objects.tree(*((mode, f"f{n}", name) for n in range(10))), "40000"
    return objects.scene(name)


def wide(size: int) -> Scene:
    """Return a folder of many copies of one large file."""
    objects = Objects()
    blob = objects.add("blob", b"x" * size)
    return objects.scene(objects.tree(*(("100644", f"f{n}", blob) for n in range(9_000))))


def long_names() -> Scene:
    objects = Objects()
    blob = objects.add("blob", b"x")
    inside = objects.tree(*(("100644", f"f{n}", blob) for n in range(9_000)))
    return objects.scene(objects.tree(("40000", "x" * MAX_PATH_CHARS, inside)))


def many_folders() -> Scene:
    """Return folders in folders, so many that listing them all takes the memory."""
    objects = Objects()
    inside = objects.tree(*(("40000", f"f{n}", "0" * 40) for n in range(30_000)))
    return objects.scene(objects.tree(*(("40000", f"f{n}", inside) for n in range(30_000))))


HOSTILE = {
    "copies": lambda: copies(20),
    "empty folders": lambda: copies(20, leaf=None),
    "a large file": lambda: wide(1_000_000),
    "long names": long_names,
    "many folders": many_folders,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_has_no_end_is_given_up(kind: str) -> None:
    scene = HOSTILE[kind]()
    repository = Repository(scene)
    start = time.monotonic()
    with pytest.raises(ValueError, match="too much to read"):
        repository.files(repository.branch("main"))
    assert time.monotonic() - start < SECONDS


def test_it_scores_nothing_in_a_task() -> None:
    task = undo_commit(np.random.default_rng(0))
    start = time.monotonic()
    assert judge(task.checks, copies(20), "bwrap") == (0, 3, 0.0)
    assert time.monotonic() - start < SECONDS


def test_a_thousand_files_are_read() -> None:
    repository = Repository(copies(3))
    files = repository.files(repository.branch("main"))
    assert (len(files), files["f0/f1/f2"]) == (1_000, "x")
