"""The letters of a word search: words drawn, placed and hidden among random letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from operator import itemgetter
from typing import Any

import numpy as np

from gem_gymnasium.data import words as words_of_length

Line = tuple[int, int, int, int]
"""Row and column of the two ends of a line, from 1."""

RIGHT, DOWN, DOWN_RIGHT, UP_RIGHT = (0, 1), (1, 0), (1, 1), (-1, 1)
_FORWARD = (RIGHT, DOWN, DOWN_RIGHT, UP_RIGHT)
STEPS = {2: _FORWARD[:2], 4: _FORWARD, 8: _FORWARD + tuple((-r, -c) for r, c in _FORWARD)}
"""The directions (rows, columns) that words may run in, by their number."""

_TRIES = 60


@cache
def vocabulary(lengths: range) -> tuple[str, ...]:
    """Return the words that may be hidden, upper case."""
    return tuple(word.upper() for length in lengths for word in words_of_length(length))


@cache
def reading_order(size: int) -> Callable[[str], tuple[str, ...]]:
    """Return what takes all rows, columns and diagonals, parted, out of a grid's cells and a gap.

    The cells are numbered row by row; the gap is number ``size * size``.
    """
    span, order = range(size), list[int]()
    for rows, columns in _FORWARD:
        # A line starts where a step back leaves the grid.
        for row, column in product(span, span):
            if row - rows in span and column - columns in span:
                continue
            while row in span and column in span:
                order.append(row * size + column)
                row, column = row + rows, column + columns
            order.append(size * size)
    getter: Any = itemgetter(*order)
    return getter


def is_read_once(cells: str, size: int, words: Iterable[str]) -> bool:
    """Return whether each word can be read along exactly one line of a grid, in any direction."""
    text = "".join(reading_order(size)(cells + "\n"))
    for word in words:
        back = word[::-1]
        if count(text, word) + (0 if back == word else count(text, back)) != 1:
            return False
    return True


def count(text: str, word: str) -> int:
    """Count the occurrences of a word, overlapping ones too."""
    found, at = 0, text.find(word)
    while at >= 0:
        found, at = found + 1, text.find(word, at + 1)
    return found


def hide(
    words: int, size: int, directions: int, lengths: range, rng: np.random.Generator
) -> tuple[tuple[str, ...], dict[str, Line]]:
    """Draw words and hide them in a grid where each can be read once.

    Args:
        words: How many.
        size: Rows, and columns, of the grid.
        directions: The number of directions they may run in, a key of ``STEPS``.
        lengths: The numbers of letters they may have, each word of these being as likely.
        rng: Where all choices come from.

    Returns:
        The rows of the grid, and where each word stands, read from its first letter.
    """
    pool = vocabulary(lengths)
    while True:
        draws: list[int] = rng.integers(len(pool), size=words).tolist()
        drawn = {pool[i] for i in draws}
        if len(drawn) < words:
            continue
        # The longest first, which have the fewest places; then by the alphabet: a set has no order.
        ordered = sorted(drawn, key=lambda word: (-len(word), word))
        cells: list[str] = [""] * (size * size)
        places: dict[str, Line] = {}
        for word in ordered:
            line = place(cells, size, word, STEPS[directions], rng)
            if line is None:
                break
            places[word] = line
        if len(places) < words:
            continue
        letters = rng.integers(65, 91, size=size * size, dtype=np.uint8).tobytes().decode("ascii")
        text = "".join([cell or letter for cell, letter in zip(cells, letters, strict=True)])
        if is_read_once(text, size, ordered):
            return tuple(
                text[start : start + size] for start in range(0, size * size, size)
            ), places


def place(
    cells: list[str],
    size: int,
    word: str,
    steps: tuple[tuple[int, int], ...],
    rng: np.random.Generator,
) -> Line | None:
    """Write a word where it fits, changing ``cells``; return where, or None if tries run out."""
    letters, reach = range(len(word)), len(word) - 1
    for _ in range(_TRIES):
        first, second, third = rng.random(3).tolist()
        down, right = steps[int(first * len(steps))]
        # Where it starts so that both ends are on the grid.
        row = int(second * (size - reach * abs(down))) + reach * (down < 0)
        column = int(third * (size - reach * abs(right))) + reach * (right < 0)
        start, step = row * size + column, down * size + right
        for i in letters:
            if cells[start + i * step] not in ("", word[i]):
                break
        else:
            for i in letters:
                cells[start + i * step] = word[i]
            return row + 1, column + 1, row + reach * down + 1, column + reach * right + 1
    return None
