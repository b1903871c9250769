"""Wrapper stacks, and episodes in them, for snapshots and branches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import (
    Autoreset,
    ClipReward,
    OrderEnforcing,
    RecordEpisodeStatistics,
    TimeLimit,
    TransformAction,
    TransformObservation,
    TransformReward,
)

from gem_gymnasium import UnicodeText
from gem_gymnasium.wrappers import History, NormalizeScore
from tests.helpers import boxed

ROOT = Path(__file__).parents[2]
ID = "gem/Mastermind-hard-v0"
AnyEnv = gym.Env[Any, Any]


def upper(text: str) -> str:
    return text.upper()


def double(reward: Any) -> float:
    return 2.0 * float(reward)


def strip(action: str) -> str:
    return action.strip()


STACKS: dict[str, Callable[[], AnyEnv]] = {
    "bare": lambda: gym.make(ID).unwrapped,
    "made": lambda: gym.make(ID),
    "History": lambda: History(gym.make(ID)),
    "messages": lambda: History(gym.make(ID), "messages", turns=3),
    "NormalizeScore": lambda: NormalizeScore(gym.make(ID)),
    "TimeLimit": lambda: TimeLimit(gym.make(ID), 5),
    "RecordEpisodeStatistics": lambda: RecordEpisodeStatistics(TimeLimit(gym.make(ID), 5)),
    "OrderEnforcing": lambda: OrderEnforcing(gym.make(ID)),
    "Autoreset": lambda: Autoreset(TimeLimit(gym.make(ID), 3)),
    "transforms": lambda: TransformObservation(
        TransformAction(
            TransformReward(ClipReward(gym.make(ID), -0.05, 0.2), double), strip, UnicodeText()
        ),
        upper,
        UnicodeText(),
    ),
    "all": lambda: RecordEpisodeStatistics(
        TimeLimit(History(NormalizeScore(gym.make(ID)), "messages"), 6)
    ),
}


def continuation(env: AnyEnv, seed: int = 0, steps: int = 8) -> list[Any]:
    """Return what ``steps`` moves and the resets between them lead to; measured time left out."""
    rng = np.random.default_rng(seed)
    results: list[Any] = []
    over = False
    for _ in range(steps):
        digits = rng.permutation(8)[:4] + 1
        result = env.reset() if over else env.step(boxed(" ".join(map(str, digits))))
        over = len(result) == 5 and (result[2] or result[3])
        if "episode" in result[-1]:
            result[-1]["episode"]["t"] = 0
        results.append(result)
    return results


def begun(build: Callable[[], AnyEnv], steps: int = 2) -> AnyEnv:
    env = build()
    env.reset(seed=11)
    continuation(env, seed=1, steps=steps)
    return env


class Coin(gym.Env[str, str]):
    """Draws at each step; its state and kwargs may be anything."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "snapshot": True}  # type: ignore[misc]

    def __init__(self, state: Any = None, **kwargs: Any) -> None:
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self.state, self.kwargs = state, kwargs

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        return "toss", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        return str(int(self.np_random.integers(2**62))), 0.0, False, False, {}

    def snapshot_state(self) -> dict[str, Any]:
        return {"state": self.state}

    def restore_state(self, data: dict[str, Any]) -> None:
        self.state = data["state"]
