"""Packs of git objects: unpacked for the checks that look at git, all of them in one go."""

import hashlib
import shutil
import struct
import subprocess
import time
import zlib
from pathlib import Path

import pytest

from gem_gymnasium.terminal.checker import MAX_PACKS, UNPACK_S, judge, unpacked
from gem_gymnasium.terminal.git_reading import Repository
from gem_gymnasium.terminal.git_writing import RepositoryWriter
from gem_gymnasium.terminal.layout import lay_out
from gem_gymnasium.terminal.scene import Entry, Scene, read_folder
from gem_gymnasium.terminal.task import Look
from tests.terminal.shells import NEEDS_SHELL

NO_LEVEL = "no such level"
"""A sandbox that cannot be opened: who tries to raises."""


def pack(number: int, size: int) -> bytes:
    """Return a pack of one blob of this size, which takes next to nothing."""
    length, kind = size >> 4, [0x80 | 3 << 4 | size & 15]
    while length:
        kind.append(length & 127 | (0x80 if length >> 7 else 0))
        length >>= 7
    content = zlib.compress(b"%09d" % number + bytes(size - 9))
    body = struct.pack(">4sLL", b"PACK", 2, 1) + bytes(kind) + content
    return body + hashlib.sha1(body).digest()


def packs(count: int, size: int = 100) -> Scene:
    """Return what is left of so many packs."""
    return Scene(
        {
            f".git/objects/pack/pack-{number:040x}.pack": Entry("file", 0o444, pack(number, size))
            for number in range(count)
        }
    )


def test_packs_are_unpacked_for_checks_that_look_at_git_only() -> None:
    assert judge([Look(lambda scene: True)], packs(1), NO_LEVEL).score == 1.0
    with pytest.raises(Exception, match=NO_LEVEL):
        judge([Look(lambda scene: True, reads_git=True)], packs(1), NO_LEVEL)


def test_too_many_packs_are_none() -> None:
    scene = packs(MAX_PACKS + 1)
    assert unpacked(scene, NO_LEVEL) is scene


@NEEDS_SHELL
def test_all_packs_have_one_deadline() -> None:
    (large,) = packs(1, 200_000_000).entries.values()
    scene = Scene(dict.fromkeys(packs(MAX_PACKS).entries, large))
    start = time.monotonic()
    assert unpacked(scene, "bwrap") is scene
    assert time.monotonic() - start < UNPACK_S + 3.0


@NEEDS_SHELL
def test_many_packs_are_unpacked_at_once() -> None:
    scene = unpacked(packs(MAX_PACKS), "bwrap")
    loose = [path for path in scene.below(".git/objects") if "/pack/" not in path]
    assert len(loose) == MAX_PACKS


@NEEDS_SHELL
@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
def test_what_is_packed_stays_in_its_repository(tmp_path: Path) -> None:
    tops: dict[str, str] = {}
    for folder, text in (("one", "1\n"), ("two", "2\n")):
        writer = RepositoryWriter()
        tops[folder] = writer.commit({"a.txt": text}, folder)
        lay_out(tmp_path / folder, writer.files({"main": tops[folder]}))
        subprocess.run(["git", "-C", str(tmp_path / folder), "gc", "-q"], check=True)
    scene = unpacked(Scene(read_folder(tmp_path)), "bwrap")
    assert Repository(scene, "one").files(tops["one"]) == {"a.txt": "1\n"}
    assert Repository(scene, "two").files(tops["two"]) == {"a.txt": "2\n"}
    with pytest.raises(ValueError, match="no loose object"):
        Repository(scene, "one").files(tops["two"])
