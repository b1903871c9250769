"""The player of a task of many turns that knows its reference solution."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np


class Solved(Protocol):
    """A task (of a terminal, on a service) that has a reference solution."""

    def solution_replies(self) -> tuple[str, ...]:
        """Return the replies that solve the present episode."""
        ...

    def sample_legal_action(self, rng: np.random.Generator, /) -> str:
        """Return a harmless reply."""
        ...


class ReferenceSolver:
    """Gives the replies that a task calls its solution: what a perfect player would.

    It reads the env, not the observation, so it plays the very env it was made for.
    """

    oracle = True

    def __init__(self, env: Solved) -> None:
        self._env = env

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Start an episode."""

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Take in what followed the reply: the turn says what is left to do."""

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next reply of the solution."""
        replies = self._env.solution_replies()
        turn: int = info["turn"]
        return replies[min(turn, len(replies) - 1)]

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw a harmless reply: nothing is told of the checks before the end."""
        return self._env.sample_legal_action(rng)
