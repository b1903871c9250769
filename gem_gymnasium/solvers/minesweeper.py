"""Minesweeper by logic, and by exact chances where logic does not decide."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.minesweeper import write
from gem_gymnasium.games.minesweeper_grid import FLAG
from gem_gymnasium.games.minesweeper_logic import (
    cells_of,
    mine_chances,
    read_constraints,
    simple_safe,
)

_RULES = re.compile(
    r"Minesweeper: (\d+) (?:mine is|mines are) hidden in a grid of (\d+) rows and (\d+) "
)
_ROW = re.compile(r"^ ?(\d+): +([.F*\d](?: +[.F*\d])+)$", re.MULTILINE)


def read_board(observation: str) -> str:
    """Return the last board that a text shows, a character a cell; empty if there is none."""
    rows: list[str] = []
    for number, cells in _ROW.findall(observation):
        if number == "1":
            rows = []
        rows.append(cells.replace(" ", ""))
    return "".join(rows)


def safest(rows: int, columns: int, mines: int, board: str) -> int:
    """Return the cells that are safe for sure or, if there is none, those least likely mines."""
    hidden, constraints = read_constraints(rows, columns, board)
    if not constraints and hidden.bit_count() == rows * columns:
        # The first reveal opens its surroundings: the middle has the most of them.
        return 1 << (rows // 2 * columns + columns // 2)
    if safe := simple_safe(constraints):
        return safe
    best, cells = Fraction(2), 0
    for group, in_group, total in mine_chances(hidden, constraints, mines):
        chance = Fraction(in_group, total)
        if chance < best:
            best, cells = chance, 0
        if chance == best:
            cells |= group
    return cells


class MinesweeperSolver:
    """Reveal a safe cell; where none is sure, one of those with the least chance of a mine."""

    def __init__(self) -> None:
        self._mines = self._rows = self._columns = 0
        self._board = ""

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Read the rules and the board.

        Raises:
            ConfigError: The text holds no rules or no board.
        """
        found = _RULES.search(observation)
        if found is None:
            raise ConfigError(f"no rules of Minesweeper in {observation[:200]!r}")
        self._mines, self._rows, self._columns = map(int, found.groups())
        self._board = read_board(observation)
        if len(self._board) != self._rows * self._columns:
            raise ConfigError(f"no Minesweeper board in {observation[-400:]!r}")

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Read the last board of the text, if it shows one."""
        self._board = read_board(observation) or self._board

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Reveal the first of the safest cells."""
        self.observe(observation, info)
        return self._write(cells_of(self._safest())[0])

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw one of the safest cells to reveal."""
        cells = cells_of(self._safest())
        return self._write(cells[int(rng.integers(len(cells)))])

    def _safest(self) -> int:
        return safest(self._rows, self._columns, self._mines, self._board)

    def _write(self, cell: int) -> str:
        """Return the move that reveals a cell, or first takes its flag away."""
        row, column = divmod(cell, self._columns)
        verb = "flag" if self._board[cell] == FLAG else "reveal"
        return write((verb, row + 1, column + 1))
