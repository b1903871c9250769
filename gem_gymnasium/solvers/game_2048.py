"""2048 by expectimax: all moves and all new tiles, two moves ahead, three on a crowded board.

A board is 64 bits, four a cell (its exponent), row by row from the lowest; so a line is an index
into a table, and all boards of a depth are moved and valued together.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.game_2048 import DIGITS, DIRECTIONS, slide_line, write

EMPTY, NEXT_TO_EQUAL, DISORDER = 200, 100, 3
"""What a line is worth: its empty cells, its tiles next to an equal one, and (against it) how far
the cubes of its exponents neither rise nor fall all along."""

LOST = -1e8
"""The value of a board without a move."""

CROWDED = 5
"""Empty cells below which the search goes three moves ahead."""

PROMISING = EMPTY
"""How far below the best a move's value may be to be drawn as a promising one."""

_RULES = re.compile(r"^2048: make the tile (\d+) on the (\d+)x(\d+) board", re.MULTILINE)
_ROW = re.compile(r"^ *(?:\d+|\.)(?: +(?:\d+|\.))+$", re.MULTILINE)

Boards = npt.NDArray[np.uint64]
Lines = npt.NDArray[np.uint16]
Values = npt.NDArray[np.float64]

_LITTLE = np.dtype("<u8")  # so that 16 bits of it are a row on every machine
_SHIFTS = np.arange(0, 64, 4, dtype=np.uint64)
_CELL = np.uint64(15)


class Tables(NamedTuple):
    """By line: what it becomes when its tiles slide to the start or the end, and its value."""

    to_start: Lines
    to_end: Lines
    values: npt.NDArray[np.int32]


@cache
def tables() -> Tables:
    """Return the tables of all 65,536 lines."""
    slid = [slide_line.__wrapped__("".join(line)) for line in product(DIGITS[:16], repeat=4)]
    # Written backward, since the first cell has the lowest bits; no tile above 2**15 is made.
    reached = [int(line[::-1].replace("g", "f"), 16) for line in slid]
    codes = np.arange(1 << 16)
    cells = codes[:, None] >> _SHIFTS[:4].astype(int) & 15  # (lines, 4)
    reverse = cells[:, ::-1] @ (1 << _SHIFTS[:4].astype(int))
    to_start = np.array(reached, "<u2")[reverse]
    to_end = reverse[to_start[reverse]].astype("<u2")
    return Tables(to_start, to_end, value_lines(cells))


def value_lines(cells: npt.NDArray[np.int_]) -> npt.NDArray[np.int32]:
    """Return the value of each line, (lines, 4) exponents."""
    equal, last, run = (np.zeros(len(cells), int) for _ in range(3))
    for tile in cells.T:
        again = (tile > 0) & (tile == last)
        run = np.where(again, run + 1, np.where(tile > 0, 1, run))
        equal += np.where(again, np.where(run == 2, 2, 1), 0)
        last = np.where(tile > 0, tile, last)
    steps = np.diff(cells**3, axis=1)
    rise, fall = np.maximum(steps, 0).sum(axis=1), np.maximum(-steps, 0).sum(axis=1)
    empty = (cells == 0).sum(axis=1)
    values = EMPTY * empty + NEXT_TO_EQUAL * equal - DISORDER * np.minimum(rise, fall)
    return values.astype(np.int32)


def mirror(boards: Boards) -> Boards:
    """Return boards with rows and columns exchanged."""
    b = boards
    b = (
        (b & np.uint64(0xF0F00F0FF0F00F0F))
        | (b & np.uint64(0x0000F0F00000F0F0)) << np.uint64(12)
        | (b & np.uint64(0x0F0F00000F0F0000)) >> np.uint64(12)
    )
    return (
        (b & np.uint64(0xFF00FF0000FF00FF))
        | (b & np.uint64(0x00FF00FF00000000)) >> np.uint64(24)
        | (b & np.uint64(0x00000000FF00FF00)) << np.uint64(24)
    )


def move_all(boards: Boards) -> Boards:
    """Return the boards after each move, (4, boards) in the order of DIRECTIONS."""
    to_start, to_end, _ = tables()
    rows, columns = boards.view("<u2"), mirror(boards).view("<u2")
    vertical = mirror(np.concatenate([to_start[columns], to_end[columns]]).view(_LITTLE))
    horizontal = np.concatenate([to_start[rows], to_end[rows]]).view(_LITTLE)
    return np.concatenate([vertical, horizontal]).reshape(4, len(boards))


def value_after(boards: Boards, depth: int) -> Values:
    """Return the value of boards on which a tile is to come up, ``depth`` moves ahead."""
    if depth == 0:
        values = tables().values
        lines = np.concatenate([boards, mirror(boards)]).view("<u2")
        return values[lines].reshape(2, -1, 4).sum(axis=(0, 2)).astype(float)
    empty = boards[:, None] >> _SHIFTS & _CELL == 0
    which, cell = np.nonzero(empty)
    twos = boards[which] | np.uint64(1) << _SHIFTS[cell]
    fours = boards[which] | np.uint64(2) << _SHIFTS[cell]
    values = value_before(np.concatenate([twos, fours]), depth).reshape(2, -1)
    expected = 0.9 * values[0] + 0.1 * values[1]
    return np.bincount(which, expected, len(boards)) / empty.sum(axis=1)


def value_before(boards: Boards, depth: int) -> Values:
    """Return the value of boards on which the player is to move, ``depth`` moves ahead."""
    moved = move_all(boards)
    legal = moved != boards
    values = np.full(moved.shape, LOST)
    values[legal] = value_after(moved[legal], depth - 1)
    return values.max(axis=0)


def value_moves(board: int, depth: int) -> dict[int, float]:
    """Return the value of each legal direction (an index into DIRECTIONS) of a board.

    Rounded, so that what is equal but for the order of its sums is equal.
    """
    boards = np.array([board], _LITTLE)
    moved = move_all(boards)[:, 0]
    legal = np.flatnonzero(moved != boards)
    values = value_after(moved[legal], depth - 1)
    return dict(zip(legal.tolist(), values.round(3).tolist(), strict=True))


def read_board(observation: str) -> int | None:
    """Return the last 4x4 board that a text shows, or None."""
    rows = [line.split() for line in _ROW.findall(observation)[-4:]]
    if [len(row) for row in rows] != [4] * 4:
        return None
    tiles = [0 if cell == "." else int(cell) for row in rows for cell in row]
    return sum(max(tile.bit_length() - 1, 0) << 4 * cell for cell, tile in enumerate(tiles))


class Game2048Solver:
    """Play the move of the greatest expected value."""

    def __init__(self) -> None:
        self._board = 0

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Read the board.

        Raises:
            ConfigError: The text holds no rules, or those of another size than 4x4.
        """
        found, board = _RULES.search(observation), read_board(observation)
        if found is None:
            raise ConfigError(f"no rules of 2048 in {observation[:200]!r}")
        if found[2] != "4" or board is None:
            raise ConfigError(f"only 4x4 boards can be solved, this one is {found[2]}x{found[3]}")
        self._board = board

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Read the last board of the text, if it shows one."""
        board = read_board(observation)
        self._board = self._board if board is None else board

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the best move; of equals the first of up, down, left, right."""
        self.observe(observation, info)
        empty = sum(self._board >> 4 * cell & 15 == 0 for cell in range(16))
        values = value_moves(self._board, 3 if empty < CROWDED else 2)
        return write(DIRECTIONS[max(values, key=values.__getitem__)])

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw a legal move whose value, one move ahead, is close to the best."""
        values = value_moves(self._board, 1)
        best = max(values.values())
        moves = [move for move, value in values.items() if value >= best - PROMISING]
        return write(DIRECTIONS[moves[int(rng.integers(len(moves)))]])
