"""Word Search by looking along every line."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.word_search import write
from gem_gymnasium.games.word_search_grid import STEPS, Line

_ROW = re.compile(r"^ ?(\d+): +((?:[A-Z] +)+[A-Z])$", re.MULTILINE)
_WORDS = re.compile(r"^Words: (.*)\.$", re.MULTILINE)


class WordSearchSolver:
    """Find each listed word in the grid; mark them in the order of the list."""

    def __init__(self) -> None:
        self._rows: list[str] = []
        self._left: list[str] = []

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Read the grid and the words.

        Raises:
            ConfigError: The text holds no grid or no words.
        """
        rows = {int(row): cells.replace(" ", "") for row, cells in _ROW.findall(observation)}
        if not rows or _WORDS.search(observation) is None:
            raise ConfigError(f"no Word Search in {observation[:400]!r}")
        self._rows = [rows[row] for row in sorted(rows)]
        self.observe(observation, info)

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Read which words are left, from the last list of the text."""
        if lists := _WORDS.findall(observation):
            self._left = [word for word in lists[-1].split(", ") if " " not in word]

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the place of the first word that is left."""
        self.observe(observation, info)
        return write(self._find(self._left[0]))

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw a word that is left and return its place."""
        return write(self._find(self._left[int(rng.integers(len(self._left)))]))

    def _find(self, word: str) -> Line:
        """Return the ends of a word's line."""
        rows, reach = self._rows, len(word) - 1
        size = range(len(rows))
        for row in size:
            for column in size:
                if rows[row][column] != word[0]:
                    continue
                for down, right in STEPS[8]:
                    last = row + reach * down, column + reach * right
                    if last[0] not in size or last[1] not in size:
                        continue
                    if all(
                        rows[row + i * down][column + i * right] == letter
                        for i, letter in enumerate(word)
                    ):
                        return row + 1, column + 1, last[0] + 1, last[1] + 1
        raise ConfigError(f"the grid does not hold {word}")
