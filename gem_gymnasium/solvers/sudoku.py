"""Sudoku by exact search, then cell by cell in reading order."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.sudoku import write
from gem_gymnasium.games.sudoku_grid import GRIDS, solve

_ROW = re.compile(r"^(\d): ([.\d](?:[ |]+[.\d])+)$", re.MULTILINE)


def read_board(observation: str) -> tuple[int, ...] | None:
    """Return the last board that a text shows (0: empty), or None."""
    rows: list[str] = []
    for number, cells in _ROW.findall(observation):
        if number == "1":
            rows = []
        rows.append(cells.replace("|", "").replace(" ", ""))
    size = len(rows)
    if size not in GRIDS or any(len(row) != size for row in rows):
        return None
    return tuple(0 if cell == "." else int(cell) for row in rows for cell in row)


class SudokuSolver:
    """Solve the board at the start, then fill it cell by cell, in reading order."""

    def __init__(self) -> None:
        self._board: tuple[int, ...] = ()
        self._solution: tuple[int, ...] = ()

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Read and solve the board.

        Raises:
            ConfigError: The text holds no board, or one without solution.
        """
        board = read_board(observation)
        if board is None:
            raise ConfigError(f"no Sudoku board in {observation[-400:]!r}")
        solution = solve(board)
        if solution is None:
            raise ConfigError(f"the board {board} has no solution")
        self._board, self._solution = board, solution

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Read the last board of the text, if it shows one."""
        self._board = read_board(observation) or self._board

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the right number of the first empty cell, in reading order."""
        self.observe(observation, info)
        return self._fill(self._board.index(0))

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw an empty cell and return its right number."""
        empty = self._empty()
        return self._fill(empty[int(rng.integers(len(empty)))])

    @property
    def _size(self) -> int:
        return round(len(self._board) ** 0.5)

    def _empty(self) -> list[int]:
        return [cell for cell, number in enumerate(self._board) if not number]

    def _fill(self, cell: int) -> str:
        row, column = divmod(cell, self._size)
        return write((row + 1, column + 1, self._solution[cell]))
