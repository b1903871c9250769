"""Task folders in the layouts of Terminal-Bench and Harbor, read as data.

Terminal-Bench: ``task.yaml`` (``instruction``, ``max_test_timeout_sec``), ``run-tests.sh``,
``tests/``, ``solution.sh``, and a ``Dockerfile`` or ``docker-compose.yaml`` beside the task's own
files. Harbor: ``instruction.md``, ``task.toml`` (``[verifier] timeout_sec``, ``[environment]
docker_image``), ``tests/test.sh``, ``solution/solve.sh``, and ``environment/`` with a
``Dockerfile`` or the task's own files. (Sources: the documentation of both projects, "Tasks" at
tbench.ai/docs and "Task Structure" at harborframework.com/docs/tasks.)
"""

from __future__ import annotations

import importlib
import importlib.util
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from gem_gymnasium.core.errors import ConfigError, MissingDependency
from gem_gymnasium.terminal.task import File, Link

Layout = Literal["terminal-bench", "harbor"]

TEST_S = 180.0
"""How long tests may take, where the folder does not say."""

_BUILDS = ("Dockerfile", "docker-compose.yaml", "docker-compose.yml")
_NOT_THE_TASK = {"task.yaml", "solution.sh", "solution.yaml", "run-tests.sh", *_BUILDS}


class TaskFolder(NamedTuple):
    """A task of one of the layouts.

    Args:
        path: The folder.
        layout: Which layout it has.
        instruction: What the agent is to do.
        files: What is in the folder that the agent works in, unless an image has it.
        image: The container image that it names; ``""``: none.
        is_built: Whether it has a recipe of an image, which has to be built first.
        test_s: How long its tests may take.
        solution: The text of its reference solution; ``""``: there is none.
    """

    path: Path
    layout: Layout
    instruction: str
    files: Mapping[str, File | Link]
    image: str = ""
    is_built: bool = False
    test_s: float = TEST_S
    solution: str = ""

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.path.resolve().name

    @property
    def needs_image(self) -> bool:
        """Whether the task runs in an image of its own only."""
        return self.is_built or bool(self.image)

    @property
    def recipe(self) -> Path:
        """The folder that an image is built from."""
        return self.path / "environment" if self.layout == "harbor" else self.path

    @property
    def tests(self) -> dict[str, File | Link]:
        """The files of its tests, as they are found at ``/tests``."""
        found = _files(self.path / "tests")
        script = self.path / "run-tests.sh"
        if self.layout == "terminal-bench" and script.is_file():
            found["run-tests.sh"] = File(script.read_bytes(), 0o755)
        return found


def read_task_folder(path: str | Path) -> TaskFolder:
    """Read a task folder of either layout.

    Raises:
        ConfigError: There is no such folder, it has neither layout, or a part of it is missing or
            cannot be read; the message names it.
        MissingDependency: A ``task.yaml`` needs PyYAML.
    """
    folder = Path(path)
    if (folder / "task.toml").is_file():
        return _harbor(folder)
    if (folder / "task.yaml").is_file():
        return _terminal_bench(folder)
    raise ConfigError(
        f"{str(folder)!r} holds neither a task.yaml (Terminal-Bench) nor a task.toml (Harbor)"
    )


def _harbor(folder: Path) -> TaskFolder:
    try:
        told: dict[str, Any] = tomllib.loads(_text(folder / "task.toml"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{folder / 'task.toml'} is no TOML: {error}") from error
    _need(folder, ("instruction.md", "tests/test.sh"))
    environment = folder / "environment"
    solution = folder / "solution" / "solve.sh"
    return TaskFolder(
        folder,
        "harbor",
        _text(folder / "instruction.md").strip(),
        _files(environment, _BUILDS),
        image=str(_table(told, "environment").get("docker_image") or ""),
        is_built=any((environment / name).exists() for name in _BUILDS),
        test_s=_seconds(_table(told, "verifier").get("timeout_sec"), folder),
        solution=_text(solution) if solution.is_file() else "",
    )


def _terminal_bench(folder: Path) -> TaskFolder:
    told = _yaml(folder / "task.yaml")
    instruction = told.get("instruction")
    if not isinstance(instruction, str) or not instruction.strip():
        raise ConfigError(f"{folder / 'task.yaml'} has no instruction")
    _need(folder, ("run-tests.sh", "tests"))
    solution = folder / "solution.sh"
    own = {
        path: file
        for path, file in _files(folder, _NOT_THE_TASK).items()
        if not path.startswith("tests/")
    }
    return TaskFolder(
        folder,
        "terminal-bench",
        instruction.strip(),
        own,
        is_built=any((folder / name).exists() for name in _BUILDS),
        test_s=_seconds(told.get("max_test_timeout_sec"), folder),
        solution=_text(solution) if solution.is_file() else "",
    )


def _yaml(path: Path) -> dict[str, Any]:
    if importlib.util.find_spec("yaml") is None:
        raise MissingDependency("pyyaml", "docker", f"{path.name} of a Terminal-Bench task")
    yaml: Any = importlib.import_module("yaml")
    try:
        told = yaml.safe_load(_text(path))
    except yaml.YAMLError as error:
        raise ConfigError(f"{path} is no YAML: {error}") from error
    if not isinstance(told, dict):
        raise ConfigError(f"{path} holds no mapping")
    return cast("dict[str, Any]", told)


def _files(folder: Path, left_out: Iterable[str] = ()) -> dict[str, File | Link]:
    """Return the files below a folder by path, but for some at its top."""
    found: dict[str, File | Link] = {}
    for place in sorted(folder.rglob("*")):
        path = str(place.relative_to(folder))
        if path in left_out:
            continue
        if place.is_symlink():
            found[path] = Link(str(place.readlink()))
        elif place.is_file():
            found[path] = File(place.read_bytes(), place.stat().st_mode & 0o777)
    return found


def _table(told: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = told.get(name)
    return cast("dict[str, Any]", table) if isinstance(table, dict) else {}


def _seconds(told: Any, folder: Path) -> float:
    if told is None:
        return TEST_S
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 < told < float("inf"):
        raise ConfigError(f"{folder}: the time for the tests must be positive, got {told!r}")
    return float(told)


def _need(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        if not (folder / name).exists():
            raise ConfigError(f"{folder} has no {name}")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
