"""Boards as text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache


@cache
def _labels(height: int, width: int) -> tuple[str, str, tuple[str, ...]]:
    """Return the line of column numbers, what parts two cells, and the rows' numbers."""
    digits = len(str(max(height, width)))
    columns = "".join([f" {column:{digits}}" for column in range(1, width + 1)])
    rows = tuple(f"{row:{digits}}: " for row in range(1, height + 1))
    return f"{' ' * (digits + 1)}{columns}", " " * digits, rows


def draw_grid(rows: Sequence[str]) -> str:
    """Return rows of equal length, a character a cell, as a board whose lines are numbered from 1.

    The columns' numbers make the first line; each row stands after its number and a colon.
    """
    header, gap, numbers = _labels(len(rows), len(rows[0]))
    indent = gap[1:]
    lines = [f"{number}{indent}{gap.join(row)}" for number, row in zip(numbers, rows, strict=True)]
    return "\n".join([header, *lines])
