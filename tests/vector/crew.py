"""Envs that hang and crash as they are told, and what vector envs of them are compared by."""

import threading
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode

from gem_gymnasium import registry
from gem_gymnasium.core.text_env import INFO_TYPES
from gem_gymnasium.vector import ThreadVectorEnv
from tests.helpers import Faulty

MODES = list(AutoresetMode)
IDS = registry.ids("game")
MIXED = (
    "gem/GuessTheNumber-v0",
    "gem/GuessTheNumber-easy-v0",
    "gem/Mastermind-easy-v0",
    "gem/Sudoku-easy-v0",
)


def same(one: Any, other: Any) -> bool:
    return data_equivalence(one, other, exact=True)


def made(*ids: str) -> list[Callable[[], gym.Env[str, str]]]:
    return [lambda id=id: gym.make(id) for id in ids]


class Crew:
    """Some Faulty envs whose hanging calls the test can release, and what was called on them."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.log: list[tuple[str, int]] = []
        self.built: list[Faulty] = []

    def env(self) -> Faulty:
        self.built.append(Faulty(self.log, self.event))
        return self.built[-1]

    def vec(self, n: int = 3, **kwargs: Any) -> ThreadVectorEnv:
        return ThreadVectorEnv([self.env] * n, **{"step_timeout_s": 0.3, **kwargs})


def check_invalid(result: Any, i: int, stop: str, observation: str) -> None:
    """Check that env ``i`` of a batch took an invalid step."""
    observations, rewards, terminations, truncations, infos = result
    assert observations[i] == observation
    assert (rewards[i], terminations[i], truncations[i]) == (0.0, False, True)
    check_invalid_info(infos, i, stop)


def check_invalid_info(infos: dict[str, Any], i: int, stop: str) -> None:
    assert infos["stop"][i] == stop
    assert infos["error"][i]
    assert not infos["valid"][i]
    assert not infos["success"][i]
    for key, kind in {**INFO_TYPES, "draw": int}.items():
        assert infos[f"_{key}"][i], f"{key} is not filled"
        value = infos[key][i]
        assert isinstance(value.item() if isinstance(value, np.generic) else value, kind), key
