"""The reader of what an agent left: nothing is followed, nothing blocks, everything is bounded."""

import os
import socket
import time
from pathlib import Path

import pytest

from gem_gymnasium.terminal import scene
from gem_gymnasium.terminal.layout import EPOCH, lay_out
from gem_gymnasium.terminal.scene import Scene, read_folder
from gem_gymnasium.terminal.task import File, Link, text_file


def test_files_folders_links_and_modes_are_read(tmp_path: Path) -> None:
    files = {
        "a/b.txt": text_file("x \ny\n\n", 0o640),
        "c": Link("a/b.txt"),
        "d": File(b"\xff", 0o400),
    }
    lay_out(tmp_path, files)
    seen = Scene(read_folder(tmp_path))
    assert seen.lines("a/b.txt") == ["x", "y"]
    assert (seen.mode("a/b.txt"), seen.mode("d"), seen.mode("a")) == (0o640, 0o400, 0o755)
    assert (seen.entries["c"].kind, seen.entries["c"].target) == ("link", "a/b.txt")
    assert (seen.data("c"), seen.text("d"), seen.data("d")) == (None, None, b"\xff")
    assert seen.below("a") == ["a/b.txt"]
    assert {os.lstat(tmp_path / path).st_mtime for path in files} == {EPOCH}


def test_what_is_no_plain_file_is_not_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    folder = tmp_path / "folder"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to("loop")
    (folder / "zero").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        start = time.monotonic()
        entries = read_folder(folder)
    assert time.monotonic() - start < 1.0
    kinds = {path: entry.kind for path, entry in entries.items()}
    assert kinds == {
        "pipe": "other", "socket": "other",
        "link": "link", "up": "link", "loop": "link", "zero": "link",
    }  # fmt: skip
    assert all(entry.data is None for entry in entries.values())


def test_size_number_and_depth_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene, "MAX_ENTRIES", 200)
    monkeypatch.setattr(scene, "MAX_BYTES", 30_000)
    with open(tmp_path / "hole", "wb") as stream:
        stream.truncate(1 << 40)
    for number in range(40):
        (tmp_path / f"f{number:02d}").write_bytes(bytes(1_000))
    deep = tmp_path
    for _ in range(scene.MAX_DEPTH + 10):
        deep /= "d"
        deep.mkdir()
    entries = read_folder(tmp_path)
    assert entries["hole"].data is None
    assert sum(len(entry.data or b"") for entry in entries.values()) == 30_000
    assert max(path.count("/") for path in entries) == scene.MAX_DEPTH
    for number in range(300):
        (tmp_path / f"g{number}").touch()
    assert len(read_folder(tmp_path)) == 200


def test_names_that_are_no_text_are_names(tmp_path: Path) -> None:
    for name in (b"\xff\xfe", b"a\nb", "é".encode()):
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))).write_bytes(name)
    seen = Scene(read_folder(tmp_path))
    assert seen.data(os.fsdecode(b"\xff\xfe")) == b"\xff\xfe"
    assert seen.text("é") == "é"


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_what_its_owner_may_not_read_is_read_all_the_same(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a/b": text_file("x")})
    (tmp_path / "a/b").chmod(0)
    (tmp_path / "a").chmod(0)
    seen = Scene(read_folder(tmp_path))
    assert (seen.mode("a"), seen.mode("a/b"), seen.text("a/b")) == (0, 0, "x")
