"""The grid of a crossword: words laid out so that they cross and touch nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from gem_gymnasium.data import clues

MAX_SIDE = 15
"""The most rows, and columns, of a grid."""

BLOCK, EMPTY = ".", "_"
"""How a cell outside all words is shown, and one whose letter is to be found."""

Board = tuple[str, ...]
"""The rows of a grid, a character a cell."""


VOCABULARIES = {"basic": (10, 20), "common": (10, 35), "rare": (40, 50)}
"""The SCOWL sizes (from, to) of the words of a vocabulary; a smaller size is more common."""


class Place(NamedTuple):
    """Where a word stands: the cell of its first letter, from 0, and whether it runs down."""

    row: int
    column: int
    down: bool


Entry = tuple[int, bool, int, int, str, str]
"""Number, whether it runs down, row and column of its first letter (from 0), word, clue."""


def is_open(board: Board, entry: Entry) -> bool:
    """Return whether an entry is yet to be filled: crossings alone fill none."""
    _, down, row, column, word, _ = entry
    if not down:
        return EMPTY in board[row][column : column + len(word)]
    for line in board[row : row + len(word)]:  # noqa: SIM110 - any() takes three times as long
        if line[column] == EMPTY:
            return True
    return False


def shown(board: Board, place: Place, length: int) -> str:
    """Return what a board shows of a word."""
    row, column, down = place
    if down:
        return "".join([line[column] for line in board[row : row + length]])
    return board[row][column : column + length]


def put(board: Board, place: Place, word: str) -> Board:
    """Return a board with a word written."""
    row, column, down = place
    rows = list(board)
    for part in word if down else (word,):
        line = rows[row]
        rows[row] = line[:column] + part + line[column + len(part) :]
        row += 1
    return tuple(rows)


@cache
def words_of(vocabulary: str, min_length: int, max_length: int) -> tuple[str, ...]:
    """Return the words that a game may hold."""
    low, high = VOCABULARIES[vocabulary]
    lengths = range(min_length, max_length + 1)
    rows = (clue for clue in clues() if low <= clue.size <= high and len(clue.word) in lengths)
    return tuple(clue.word for clue in rows)


@cache
def clue_of() -> dict[str, str]:
    """Return the clue of every word; shared, so not to be changed."""
    return {clue.word: clue.text for clue in clues()}


class Layout:
    """Words on a plane whose rows and columns may be negative until they are counted anew."""

    def __init__(self) -> None:
        self.places: dict[str, Place] = {}
        self._letters: dict[tuple[int, int], str] = {}
        self._runs_down: dict[tuple[int, int], bool | None] = {}
        """Of a cell's word; None where two cross."""

    def crossings(self, word: str) -> Iterator[Place]:
        """Yield every place where a word crosses others and touches no word besides."""
        for (row, column), letter in self._letters.items():
            runs_down = self._runs_down[row, column]
            if runs_down is None:
                continue
            for i, own in enumerate(word):
                if own == letter:
                    here = (row, column - i, False) if runs_down else (row - i, column, True)
                    if self._fits(word, Place(*here)):
                        yield Place(*here)

    def _fits(self, word: str, place: Place) -> bool:
        """Return whether a word agrees with the letters at a place and touches no other word."""
        row, column, down = place
        letters, (y, x) = self._letters, (1, 0) if down else (0, 1)
        length = len(word)
        if (row - y, column - x) in letters or (row + y * length, column + x * length) in letters:
            return False
        for letter in word:
            there = letters.get((row, column))
            if there is None:
                # A letter beside it would make a run that is no word.
                if (row + x, column + y) in letters or (row - x, column - y) in letters:
                    return False
            elif there != letter or self._runs_down[row, column] != (not down):
                return False
            row, column = row + y, column + x
        at = place.row if down else place.column
        along = [at, at + length - 1, *(cell[0 if down else 1] for cell in letters)]
        return max(along) - min(along) < MAX_SIDE

    def put(self, word: str, place: Place) -> None:
        """Write a word."""
        self.places[word] = place
        row, column, down = place
        for i, letter in enumerate(word):
            cell = (row + i, column) if down else (row, column + i)
            self._letters[cell] = letter
            self._runs_down[cell] = None if cell in self._runs_down else down

    def count_from_0(self) -> tuple[Board, dict[str, Place]]:
        """Return the grid, ``BLOCK`` outside all words, and the words' places in it."""
        rows, columns = zip(*self._letters, strict=True)
        top, left = min(rows), min(columns)
        board = tuple(
            "".join([self._letters.get((row, col), BLOCK) for col in range(left, max(columns) + 1)])
            for row in range(top, max(rows) + 1)
        )
        places = self.places.items()
        return board, {word: Place(y - top, x - left, down) for word, (y, x, down) in places}


def lay_out(
    words: tuple[str, ...], count: int, rng: np.random.Generator
) -> tuple[Board, dict[str, Place]]:
    """Draw words and lay them out as a crossword.

    Every run of two or more letters, across or down, is one of the words, and all words hang
    together. A word's place is drawn uniformly from those where it crosses an earlier one.

    Args:
        words: What to draw from, upper case.
        count: How many to lay out.
        rng: Where all choices come from.

    Returns:
        The grid, ``BLOCK`` outside all words, and each word's place.
    """
    while True:
        layout = Layout()
        layout.put(words[int(rng.integers(len(words)))], Place(0, 0, bool(rng.integers(2))))
        draws: list[int] = rng.integers(len(words), size=20 * count).tolist()
        for word in map(words.__getitem__, draws):
            if len(layout.places) == count:
                return layout.count_from_0()
            places = [] if word in layout.places else list(layout.crossings(word))
            if places:
                layout.put(word, places[int(rng.integers(len(places)))])


def number(places: dict[str, Place]) -> tuple[Entry, ...]:
    """Return words as entries, numbered by first cell: row by row, and from the left."""
    cells = sorted({(row, column) for row, column, _ in places.values()})
    entries = (
        (cells.index((row, column)) + 1, down, row, column, word, clue_of()[word])
        for word, (row, column, down) in places.items()
    )
    return tuple(sorted(entries))
