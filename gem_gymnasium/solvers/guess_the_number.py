"""Bisection: halves what the hints leave open, which no player beats in the worst case."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.guess_the_number import write

_RANGE = re.compile(r"integer from (-?\d+) to (-?\d+)")
_HIGHER = re.compile(r"^The number is higher than (-?\d+)\.", re.MULTILINE)
_LOWER = re.compile(r"^The number is lower than (-?\d+)\.", re.MULTILINE)


class GuessTheNumberSolver:
    """Guess the middle of what is left, the lower one of two."""

    def __init__(self) -> None:
        self._low, self._high = 0, 0

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Read the range from the rules.

        Raises:
            ConfigError: The text holds no range.
        """
        found = _RANGE.search(observation)
        if found is None:
            raise ConfigError(f"no range of numbers in {observation[:200]!r}")
        self._low, self._high = int(found[1]), int(found[2])

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Narrow the range by every hint of the text."""
        for hint in _HIGHER.findall(observation):
            self._low = max(self._low, int(hint) + 1)
        for hint in _LOWER.findall(observation):
            self._high = min(self._high, int(hint) - 1)

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the middle of the range."""
        self.observe(observation, info)
        return write((self._low + self._high) // 2)

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw a number that the hints leave open."""
        return write(int(rng.integers(self._low, self._high, endpoint=True)))
