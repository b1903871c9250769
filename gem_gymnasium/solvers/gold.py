"""The player of a data set that knows its answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.tasks.dataset_task import DatasetTask


class GoldSolver:
    """Gives the answer that the data set calls right: what a perfect player would score.

    It reads the env, not the observation, so it plays the very env it was made for.
    """

    oracle = True

    def __init__(self, env: DatasetTask) -> None:
        self._env = env

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Start an episode."""

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Take in what followed the reply: nothing is left to do."""

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the right reply.

        Raises:
            ConfigError: The data set has no answer to this row, only a way to judge one.
        """
        reply = self._env.gold_reply()
        if reply is None:
            raise ConfigError(f"{self._env.rows!r} holds no right answer to this row")
        return reply

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw a guess: a task gives no hint before its only reply."""
        return self._env.sample_legal_action(rng)
