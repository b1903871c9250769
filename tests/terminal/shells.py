"""What the tests of terminal tasks share: whether a shell can be isolated here, and episodes."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import gymnasium as gym
import pytest

import gem_gymnasium
from gem_gymnasium.core.errors import SandboxUnavailable
from gem_gymnasium.sandbox.run import choose
from gem_gymnasium.terminal import GENERATORS
from gem_gymnasium.terminal.families import ALL, require_programs

IDS = gem_gymnasium.registry.ids("terminal")
TASKS = [(family, task) for family, tasks in GENERATORS.items() for task in tasks]


def why_not() -> str:
    """Return why no terminal task can be played here, or ``""``."""
    try:
        choose("shell session", None)
        require_programs(ALL)
    except SandboxUnavailable as error:
        return str(error)
    return ""


NEEDS_SHELL = pytest.mark.skipif(bool(why_not()), reason=why_not())


class End(NamedTuple):
    """How an episode ended."""

    reward: float
    info: dict[str, Any]
    observation: str


def bash(command: str) -> str:
    return f"<bash>{command}</bash>"


def play(env: gym.Env[str, str], replies: Iterable[str], seed: int = 0, **kwargs: Any) -> End:
    """Play replies from a reset; return what the last of them led to, with the sum of rewards."""
    observation, info = env.reset(seed=seed, **kwargs)
    total = 0.0
    for reply in replies:
        observation, reward, terminated, truncated, info = env.step(reply)
        total += float(reward)
        if terminated or truncated:
            break
    return End(total, info, observation)


def solution(env: gym.Env[str, str], seed: int = 0) -> tuple[str, ...]:
    """Return the replies of the reference solution."""
    env.reset(seed=seed)
    return env.unwrapped.solution_replies()  # type: ignore[attr-defined, no-any-return]
