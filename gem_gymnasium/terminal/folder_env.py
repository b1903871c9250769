"""TaskFolderEnv: a terminal env over one task folder in the layout of Terminal-Bench or Harbor."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from gem_gymnasium.core.errors import ConfigError, SandboxUnavailable, ToolFailure
from gem_gymnasium.sandbox import Policy, run_shell
from gem_gymnasium.sandbox.docker import require_image
from gem_gymnasium.sandbox.level import SandboxFailure
from gem_gymnasium.sandbox.run import choose
from gem_gymnasium.terminal.checker import Verdict
from gem_gymnasium.terminal.config import ShellConfig
from gem_gymnasium.terminal.env import TerminalEnv
from gem_gymnasium.terminal.folder_tests import WORK, run_tests
from gem_gymnasium.terminal.task import Task
from gem_gymnasium.terminal.task_folder import TaskFolder, read_task_folder

COPY_S = 60.0
"""How long what an image has at ``/app`` may take to be copied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderConfig(ShellConfig):
    """What an env of a task folder can be told, beside what holds for every shell.

    Args:
        folder: The task folder.
        image: The image to work in; ``""``: that which the folder names (or ``gem-task-<name>``,
            to be built, where it has a ``Dockerfile``), or none.

    Raises:
        ConfigError: No folder is given, or a number is refused.
    """

    folder: str = ""
    image: str = ""
    max_turns: int = 50
    command_timeout_s: float = 60.0

    def __post_init__(self) -> None:
        ShellConfig.__post_init__(self)
        if not self.folder:
            raise ConfigError(
                "give a task folder (Terminal-Bench's or Harbor's layout): "
                'make("gem/Terminal-Folder-v0", folder="...")'
            )


class TaskFolderEnv(TerminalEnv):
    """Do the task of a folder in a shell, then submit; the folder's own tests say what it is worth.

    A folder without a ``Dockerfile`` and without the name of an image is worked on in any level for
    shells; one with an image at level ``docker`` only. The agent finds its folder at ``/app``. The
    tests run when it has submitted and all that it started is dead, in a sandbox of their own, at
    ``/tests``; they are as hard to deceive as their author made them.

    ## Action Space
    As of ``TerminalEnv``.

    ## Observation Space
    As of ``TerminalEnv``.

    ## Rewards
    0 for a command; at the end the share of tests that passed (Terminal-Bench), or what the tests
    wrote to ``/logs/verifier/reward.txt`` or ``reward.json``, held within 0 and 1 (Harbor); -0.1
    for a malformed reply. The return lies in [-0.1, 1], with ``on_malformed="continue"`` in
    [-0.1 * max_turns, 1].

    ## Episode End
    As of ``TerminalEnv``. Harbor tests that write no reward are a failure of the machinery: the
    step is invalid.

    ## Information
    As of ``TerminalEnv``; ``family`` is the layout, ``task`` the folder's name.

    ## Arguments
    Those of ``FolderConfig``, of ``render_mode`` and of ``on_malformed``.

    ## References
    Terminal-Bench and Harbor, whose layouts these are. GEM's DockerEnv takes Terminal-Bench's.

    ## Version History
    v0: first release.
    """

    config_type = FolderConfig
    work_place = WORK

    def __init__(self, **rules: Any) -> None:
        self._folder: TaskFolder | None = None
        super().__init__(**rules)

    @property
    def folder(self) -> TaskFolder:
        """The task folder, read once."""
        if self._folder is None:
            self._folder = read_task_folder(cast("FolderConfig", self.config).folder)
        return self._folder

    @property
    def image(self) -> str:
        """The image to work in, ``""`` for none; one to be built has a name of the folder's."""
        asked = cast("FolderConfig", self.config).image or self.folder.image
        if asked or not self.folder.is_built:
            return asked
        return "gem-task-" + re.sub(r"[^a-z0-9-]+", "-", self.folder.name.lower()).strip("-")

    def policy(self) -> Policy:
        """Return what the shell may use."""
        policy = super().policy()
        return replace(policy, image=self.image) if self.image else policy

    def lay_out(self, folder: Path, task: Task) -> None:
        """Put the folder's files, or what its image has at ``/app``, into an empty folder.

        Raises:
            ToolFailure: The sandbox failed.
        """
        if not self.image:
            super().lay_out(folder, task)
            return
        command = f"if [ -d {WORK} ]; then cp -a {WORK}/. . ; fi"
        policy = replace(self.policy(), folder=folder, time_s=COPY_S)
        result = run_shell(command, policy=policy, level=self._level)
        if result.status != "ok":
            raise ToolFailure(f"{WORK} of the image cannot be copied: {result.detail}")

    def chosen_level(self) -> str:
        """Return the sandbox level to work in: ``docker`` for a task with an image.

        Raises:
            SandboxUnavailable: It, or the image, is not here; and what gets it.
            ConfigError: Another level is asked for than the folder needs.
        """
        level, image = self.config.level, self.image
        if not image:
            return choose("shell session", level or None).name
        if level not in ("", "docker"):
            raise ConfigError(
                f"{self.folder.path} needs an image, so level 'docker', not {level!r}"
            )
        chosen = choose("shell session", "docker").name
        build = f"docker build -t {image} {shlex.quote(str(self.folder.recipe))}"
        try:
            require_image(image, build if self.folder.is_built else f"docker pull {image}")
        except SandboxFailure as error:
            raise SandboxUnavailable(f"level 'docker' cannot be reached here: {error}") from error
        return chosen

    def drawn_task(self, rng: np.random.Generator) -> tuple[str, Task]:
        """Return the layout and the one task that there is."""
        folder = self.folder
        return folder.layout, Task(
            name=folder.name,
            instruction=folder.instruction,
            files=folder.files,
            checks=(),
            solution=(folder.solution,) if folder.solution else (),
            begin=f"cd {WORK} 2>/dev/null; true",
        )

    def verdict(self, task: Task, folder: Path, alive: frozenset[str]) -> Verdict:
        """Run the folder's tests on what was left."""
        return run_tests(self.folder, folder, self.policy(), self._level)
