"""Crosswords by looking the clues up in the list that they are drawn from."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.data import clues
from gem_gymnasium.games.crosswords import EMPTY, write

_ENTRY = re.compile(
    r"^(\d+) (across|down) from row (\d+), column (\d+), (?:(\d+) letters: (.*)|filled: [A-Z]+)$",
    re.MULTILINE,
)
_ROW = re.compile(r"^ ?(\d+): +([A-Z._](?: +[A-Z._])*)$", re.MULTILINE)
_LETTERS = "letter}"


@cache
def answers() -> dict[tuple[int, str], str]:
    """Return the word of each length and clue; there is one."""
    return {(len(clue.word), clue.text): clue.word for clue in clues()}


class Open(NamedTuple):
    """A clue that is yet to be answered; its first cell, from 1."""

    number: int
    direction: str
    row: int
    column: int
    word: str


class CrosswordsSolver:
    """Answer the clues in their order, each with the word that the bundled list has for it."""

    oracle = True

    def __init__(self) -> None:
        self._letters = False
        self._rows: dict[int, str] = {}
        self._open: list[Open] = []

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Read the clues.

        Raises:
            ConfigError: The text holds no clues, or one that is not in the list.
        """
        if _ENTRY.search(observation) is None:
            raise ConfigError(f"no crossword in {observation[:400]!r}")
        self._letters = _LETTERS in observation
        self.observe(observation, info)

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Read the last grid of the text, and the clues that are open beside it."""
        # A later line of the same clue, or row of the same number, takes the earlier one's place.
        newest = {found.group(1, 2): found for found in _ENTRY.finditer(observation)}
        if not newest:
            return
        self._rows = {int(row): cells.replace(" ", "") for row, cells in _ROW.findall(observation)}
        self._open = []
        for found in newest.values():
            number, direction, row, column, length, clue = found.groups("")
            if not length:
                continue
            word = answers().get((int(length), clue))
            if word is None:
                raise ConfigError(f"the list has no word of {length} letters for {clue!r}")
            self._open.append(Open(int(number), direction, int(row), int(column), word))

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the answer to the first open clue, or its first letter that is missing."""
        self.observe(observation, info)
        return self._answer(self._open[0])

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw an open clue and return its answer."""
        return self._answer(self._open[int(rng.integers(len(self._open)))])

    def _answer(self, entry: Open) -> str:
        number, direction, row, column, word = entry
        if not self._letters:
            return write((number, direction, word))
        down = direction == "down"
        for i, letter in enumerate(word):
            y, x = (row + i, column) if down else (row, column + i)
            if self._rows[y][x - 1] == EMPTY:
                return write((y, x, letter))
        raise ConfigError(f"{number} {direction} is filled")
