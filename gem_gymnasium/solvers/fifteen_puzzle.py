"""The sliding puzzle: shortest solutions, or in stages where the budget leaves room for more.

2x2 and 3x3 boards are solved along their table of exact distances, 4x4 boards of small budgets by
IDA*. Other 4x4 boards are solved in three stages, each along a table of the exact distances of its
tiles: the top row, the rest of the left column, the other 3x3 cells. Each step is a look-up, and
the stages take at most 46 + 32 + 31 = 109 moves together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.fifteen_puzzle import write
from gem_gymnasium.games.fifteen_puzzle_search import (
    DIRECTIONS,
    Board,
    Table,
    exact_table,
    goal_of,
    measure,
    slide,
    solve,
    transpose,
)

WORST_OF_STAGES = 109

_TURNS = re.compile(r"^Sliding puzzle: .* within (\d+) turns", re.MULTILINE)
_BOARD = re.compile(r"^ *(?:\d+|_)(?: +(?:\d+|_))+$", re.MULTILINE)

_MIRRORED = (2, 3, 0, 1)
"""The direction in a board's mirror image."""

_CORE = (5, 6, 7, 9, 10, 11, 13, 14, 15)
"""The cells of the last stage."""


def read_board(observation: str) -> Board | None:
    """Return the last board that a text shows (0: the gap), or None."""
    rows = [
        [0 if cell == "_" else int(cell) for cell in line.split()]
        for line in _BOARD.findall(observation)
    ]
    if not rows:
        return None
    size = len(rows[-1])
    board = tuple(tile for row in rows[-size:] for tile in row)
    return board if sorted(board) == [*range(size * size)] else None


@cache
def stages() -> tuple[Table, Table]:
    """Return the tables of the top row and of the rest of the left column."""
    below = range(4, 16)
    top_row = measure(4, (1, 2, 3, 4), range(16), gaps=below)
    rest = [cell for cell in below if cell % 4]
    return top_row, measure(4, (5, 9, 13), below, gaps=rest)


def core(board: Board) -> Board:
    """Return the last stage's cells as a 3x3 board."""
    names = {cell + 1: place + 1 for place, cell in enumerate(_CORE)}
    return tuple(names.get(board[cell], 0) for cell in _CORE)


def distance(board: Board) -> tuple[int, ...]:
    """Return the moves to go of the present stage, after how many stages are to follow it."""
    if len(board) < 16:
        return 0, exact_table(round(len(board) ** 0.5)).distance(board)
    top_row, left_column = stages()
    if moves := top_row.distance(board):
        return 2, moves
    if moves := left_column.distance(board):
        return 1, moves
    return 0, exact_table(3).distance(core(board))


def nearer(board: Board) -> Iterator[tuple[int, Board]]:
    """Yield each direction that brings the present stage one move nearer its end, and its board."""
    size = round(len(board) ** 0.5)
    now = distance(board)
    for direction in range(len(DIRECTIONS)):
        after = slide(size, board, direction)
        if after is None:
            continue
        there = distance(after)
        # The end of a stage is the start of the next; no move undoes a finished one.
        if there[0] < now[0] or (there[0] == now[0] and there[1] < now[1]):
            yield direction, after


def plan_stages(board: Board) -> list[int]:
    """Return a solution along the tables."""
    path = list[int]()
    goal = goal_of(round(len(board) ** 0.5))
    while board != goal:
        direction, board = next(nearer(board))
        path.append(direction)
    return path


def plan(board: Board, turns: int) -> list[int]:
    """Return a shortest solution, or one in stages if ``turns`` are enough for any of those."""
    if len(board) < 16:
        return plan_stages(board)
    if turns < WORST_OF_STAGES:
        return solve(board) or []
    # Mirrored, the left column comes first.
    mirrored = [_MIRRORED[move] for move in plan_stages(transpose(4, board))]
    return min(plan_stages(board), mirrored, key=len)


class FifteenPuzzleSolver:
    """Look the next move up in a plan; make a new one for a board that the plan does not meet."""

    def __init__(self) -> None:
        self._turns = 0
        self._board: Board = ()
        self._moves: dict[Board, int] = {}

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Read the budget from the rules, and the board.

        Raises:
            ConfigError: The text holds no rules, or no board.
        """
        turns, board = _TURNS.search(observation), read_board(observation)
        if turns is None or board is None:
            raise ConfigError(f"no sliding puzzle in {observation[:200]!r}")
        self._turns, self._board, self._moves = int(turns[1]), board, {}

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Read the last board of the text, if it shows one."""
        self._board = read_board(observation) or self._board

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next move of the plan."""
        self.observe(observation, info)
        return self._write(self._planned())

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw a move that brings the present stage nearer its end.

        Where the budget has no room for stages, there is one such move: the plan's.
        """
        if len(self._board) == 16 and self._turns < WORST_OF_STAGES:
            return self._write(self._planned())
        moves = [direction for direction, _ in nearer(self._board)]
        return self._write(moves[int(rng.integers(len(moves)))])

    def _planned(self) -> int:
        """Return the plan's move on the present board."""
        if self._board not in self._moves:
            board, size = self._board, round(len(self._board) ** 0.5)
            self._moves = {}
            for direction in plan(board, self._turns):
                self._moves[board] = direction
                board = slide(size, board, direction) or board
        return self._moves[self._board]

    def _write(self, direction: int) -> str:
        return write(DIRECTIONS[direction])
