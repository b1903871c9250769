"""What each task says, and how its solution goes: a changed character needs a new version.

``REGEN_GOLDEN=1 pytest tests/terminal/test_goldens.py`` writes the files anew.
"""

from typing import Any

import gymnasium as gym
import pytest

from tests.helpers import GOLDEN, assert_golden, transcript
from tests.terminal.shells import NEEDS_SHELL, TASKS

FOLDER = "terminal"
VARYING = ("git", "processes")
"""Families whose commands write names of new commits, or numbers of processes."""


def submit(env: gym.Env[str, str], observation: str, info: dict[str, Any]) -> str:
    return "<submit/>"


def solve(env: gym.Env[str, str], observation: str, info: dict[str, Any]) -> str:
    base: Any = env.unwrapped
    reply: str = base.solution_replies()[info["turn"]]
    return reply


@NEEDS_SHELL
@pytest.mark.parametrize(("family", "task"), TASKS)
def test_the_episode_reads_as_it_did(family: str, task: str) -> None:
    policy = submit if family in VARYING else solve
    text = transcript("gem/Terminal-v0", policy, seed=1, task=task)
    assert ("success=False" if family in VARYING else "success=True") in text.splitlines()[-1]
    assert_golden(f"{FOLDER}/{task}", text)


def test_every_task_has_its_golden_and_there_are_no_others() -> None:
    names = {path.stem for path in (GOLDEN / FOLDER).glob("*.txt")}
    assert names == {task for _, task in TASKS}
