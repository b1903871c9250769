"""Boards as text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

MAX_CELLS = 240
"""Cells of the largest board that can be drawn."""

_SYMBOLS = b"0123456789: \n"
_FIRST_SYMBOL = 256 - len(_SYMBOLS)
_CODES = {chr(symbol): _FIRST_SYMBOL + i for i, symbol in enumerate(_SYMBOLS)}


@cache
def _lay_out(height: int, width: int) -> bytes:
    """Return a board's text with byte ``i`` for cell ``i`` and all other characters as codes.

    One ``bytes.translate`` then draws a board, several times faster than formatting its rows.
    """
    digits = len(str(max(height, width)))

    def coded(text: str) -> bytes:
        return bytes(_CODES[character] for character in text)

    columns = "".join([f" {column:{digits}}" for column in range(1, width + 1)])
    lines = [coded(" " * (digits + 1) + columns)]
    for row in range(height):
        cells = [coded(" " * digits) + bytes([row * width + i]) for i in range(width)]
        lines.append(coded(f"{row + 1:{digits}}:") + b"".join(cells))
    return coded("\n").join(lines)


def draw_grid(rows: Sequence[str]) -> str:
    """Return a board as text whose rows and columns are numbered from 1.

    The columns' numbers make the first line; each row stands after its number and a colon.

    Args:
        rows: Rows of equal length, an ASCII character a cell, at most ``MAX_CELLS`` in all.
    """
    cells = "".join(rows).encode("ascii").ljust(_FIRST_SYMBOL)
    return _lay_out(len(rows), len(rows[0])).translate(cells + _SYMBOLS).decode("ascii")
