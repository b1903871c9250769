"""The Minesweeper grid: its geometry, its numbers, and what a reveal uncovers.

Cells are numbered row by row from 0. A field is a str with a character a cell: a mine or the number
of mines around it.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

HIDDEN, FLAG, MINE, ZERO = ".F*0"


@cache
def neighbours(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    """Return the up to eight cells around each cell."""
    around: list[tuple[int, ...]] = []
    for row in range(rows):
        for column in range(columns):
            square = [
                i * columns + j
                for i in range(max(0, row - 1), min(rows, row + 2))
                for j in range(max(0, column - 1), min(columns, column + 2))
            ]
            square.remove(row * columns + column)
            around.append(tuple(square))
    return tuple(around)


def draw_field(rows: int, columns: int, mines: Collection[int]) -> str:
    """Return the field with mines in these cells."""
    around, field = neighbours(rows, columns), bytearray(b"0") * (rows * columns)
    for mine in mines:
        for cell in around[mine]:
            field[cell] += 1  # the next digit
    for mine in mines:
        field[mine] = ord(MINE)
    return field.decode("ascii")


def uncover(rows: int, columns: int, field: str, board: str, cell: int) -> tuple[str, int]:
    """Reveal a hidden safe cell, and all hidden cells around each zero.

    Returns:
        The board after it, and how many cells were revealed.
    """
    number = field[cell]
    if number != ZERO:
        return f"{board[:cell]}{number}{board[cell + 1 :]}", 1
    around, shown, zeros, count = neighbours(rows, columns), [*board], [cell], 1
    shown[cell] = ZERO
    while zeros:
        for other in around[zeros.pop()]:
            if shown[other] == HIDDEN:
                shown[other] = number = field[other]
                count += 1
                if number == ZERO:
                    zeros.append(other)
    return "".join(shown), count


_LABEL_BYTES = bytes(range(128))


def draw_board(rows: int, columns: int, board: str) -> str:
    """Return a board's text: a line of column numbers, then the rows, each after its number."""
    cells = board.encode("ascii")
    texts = [
        text.translate(cells[start : start + 128].ljust(128) + _LABEL_BYTES)
        for start, text in lay_out(rows, columns)
    ]
    return b"\n".join(texts).decode("ascii")


@cache
def lay_out(rows: int, columns: int) -> tuple[tuple[int, bytes], ...]:
    """Return a board's text in blocks of rows, each after its first cell.

    Byte ``i`` stands for cell ``i`` of the block, and all other characters are plus 128: one
    ``bytes.translate`` draws a block, several times faster than formatting its cells.
    """
    width, blocks = len(str(max(rows, columns))), list[tuple[int, bytes]]()

    def high(text: str) -> bytes:
        return bytes(128 + code for code in text.encode("ascii"))

    numbers = "".join(f" {column:{width}}" for column in range(1, columns + 1))
    lines = [high(" " * (width + 1) + numbers)]
    most = 128 // columns
    for first in range(0, rows, most):
        for row in range(first, min(rows, first + most)):
            cells = range((row - first) * columns, (row - first + 1) * columns)
            gap = high(" " * width)
            lines.append(high(f"{row + 1:{width}}:") + b"".join(gap + bytes([i]) for i in cells))
        blocks.append((first * columns, high("\n").join(lines)))
        lines = []
    return tuple(blocks)
