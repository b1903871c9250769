"""The generators of terminal tasks: six families, each a table of functions of a seed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping

import numpy as np

from gem_gymnasium.core.errors import SandboxUnavailable
from gem_gymnasium.terminal.families import data, debugging, files, git, processes, text
from gem_gymnasium.terminal.task import Task

Generator = Callable[[np.random.Generator], Task]

ALL = "all"
"""The family that stands for all of them."""

GENERATORS: Mapping[str, Mapping[str, Generator]] = {
    "files": files.GENERATORS,
    "text": text.GENERATORS,
    "data": data.GENERATORS,
    "git": git.GENERATORS,
    "debugging": debugging.GENERATORS,
    "processes": processes.GENERATORS,
}

_PACKAGES = {"git": {"git": "git"}}
"""Programs that a family needs beside bash, Python and what every Linux has, and their packages."""


def draw(family: str, task: str, rng: np.random.Generator) -> tuple[str, Task]:
    """Return a family and a task of it.

    Args:
        family: Which family; ``ALL``: each is as likely as the others.
        task: Which generator; ``""``: each is as likely as the others.
        rng: Where everything that is drawn comes from.
    """
    families = [name for name in GENERATORS if family in (ALL, name)]
    if task:
        families = [name for name in families if task in GENERATORS[name]]
    chosen = families[int(rng.integers(len(families)))]
    names = [task] if task else list(GENERATORS[chosen])
    return chosen, GENERATORS[chosen][names[int(rng.integers(len(names)))]](rng)


def require_programs(family: str) -> None:
    """Refuse a family whose programs are not here.

    Raises:
        SandboxUnavailable: A program is missing; the message names the command that gets it.
    """
    for name, programs in _PACKAGES.items():
        for program, package in programs.items():
            if family in (ALL, name) and shutil.which(program) is None:
                raise SandboxUnavailable(
                    f"terminal tasks of the family {name!r} need {program}: run "
                    f"`apt-get install {package}`"
                )
