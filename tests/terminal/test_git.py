"""Git repositories as data: git finds nothing wrong with ours, and we read what git wrote."""

import shutil
import subprocess
from pathlib import Path

import pytest

from gem_gymnasium.terminal.checker import unpacked
from gem_gymnasium.terminal.git_reading import Repository
from gem_gymnasium.terminal.git_writing import RepositoryWriter
from gem_gymnasium.terminal.layout import lay_out
from gem_gymnasium.terminal.scene import Entry, Scene, read_folder
from tests.terminal.shells import NEEDS_SHELL

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git here")

FILES = {"a.txt": "1\n", "b/c.txt": "2\n", "b.txt": "3\n", "b/d/e": "é\n"}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    writer = RepositoryWriter()
    first = writer.commit(FILES, "One")
    second = writer.commit({**FILES, "a.txt": "4\n"}, "Two", first)
    other = writer.commit({**FILES, "f": ""}, "Other", first)
    lay_out(tmp_path, writer.files({"main": second, "side/other": other}))
    return tmp_path


def test_git_finds_nothing_wrong(repository: Path) -> None:
    assert git(repository, "fsck", "--strict", "--no-dangling") == ""
    assert git(repository, "status", "--porcelain") == ""
    assert git(repository, "log", "--format=%s").split() == ["Two", "One"]
    assert git(repository, "diff", "main", "side/other", "--stat").endswith("deletion(-)\n")
    assert "commit: Two" in git(repository, "reflog")


def test_what_git_wrote_is_read(repository: Path) -> None:
    (repository / "new").mkdir()
    (repository / "new" / "file").write_text("5\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "Three\n\nmore")
    git(repository, "merge", "-q", "--no-edit", "side/other")
    read = Repository(Scene(read_folder(repository)))
    top = git(repository, "rev-parse", "HEAD").strip()
    assert (read.branch("main"), read.head(), read.branches()) == (
        top,
        "main",
        {"main", "side/other"},
    )
    assert read.files(top) == {**FILES, "a.txt": "4\n", "new/file": "5\n", "f": ""}
    assert [commit.message for commit in read.history(top)][1:] == ["Three\n\nmore", "Two", "One"]
    assert read.commit(top).parents[1] == read.branch("side/other")
    assert read.branch("gone") == ""


@NEEDS_SHELL
def test_what_is_packed_is_read_too(repository: Path) -> None:
    top = git(repository, "rev-parse", "HEAD").strip()
    git(repository, "gc", "-q")
    scene = Scene(read_folder(repository))
    assert Repository(scene).branch("main") == top
    with pytest.raises(ValueError, match="no loose object"):
        Repository(scene).commit(top)
    assert Repository(unpacked(scene, "bwrap")).files(top) == {**FILES, "a.txt": "4\n"}


def test_an_object_under_another_name_does_not_count(repository: Path) -> None:
    scene = Scene(read_folder(repository))
    top = Repository(scene).branch("main")
    place = f".git/objects/{top[:2]}/{top[2:]}"
    for data in (b"", b"x", scene.data(f".git/objects/{other(scene, place)}")):
        entries = {**scene.entries, place: Entry("file", 0o444, data)}
        with pytest.raises(ValueError, match=r"is damaged|is another"):
            Repository(Scene(entries)).commit(top)


def other(scene: Scene, place: str) -> str:
    paths = [path for path in scene.below(".git/objects") if path != place]
    return paths[0].removeprefix(".git/objects/")
