"""Sokoban by A* over pushes: its plans take the fewest moves there are."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.sokoban import DIRECTIONS, can_move, find_player, write
from gem_gymnasium.solvers.sokoban_search import find_plan

_ROW = re.compile(r"^(\d): ([#.GB*P+](?: [#.GB*P+])+)$", re.MULTILINE)


def read_board(observation: str) -> str | None:
    """Return the last board that a text shows, or None."""
    rows: list[str] = []
    for number, cells in _ROW.findall(observation):
        if number == "1":
            rows = []
        rows.append(cells.replace(" ", ""))
    board = "".join(rows)
    if len(board) < 9 or any(len(row) != len(rows) for row in rows):
        return None
    return board if board.count("P") + board.count("+") == 1 else None


class SokobanSolver:
    """Search the board once, then follow the plan; search again only where a move left it."""

    def __init__(self) -> None:
        self._board = ""
        self._plan: dict[str, tuple[str, ...]] = {}

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Read the board and plan.

        Raises:
            ConfigError: The text holds no board.
        """
        board = read_board(observation)
        if board is None:
            raise ConfigError(f"no Sokoban board in {observation[-400:]!r}")
        self._board, self._plan = board, {}
        self._moves()

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Read the last board of the text, if it shows one."""
        self._board = read_board(observation) or self._board

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return a move of a shortest solution; of a board that has none, a legal move."""
        self.observe(observation, info)
        return write(self._moves()[0])

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw a first move of the shortest walks to the plan's next push (or that push)."""
        moves = self._moves()
        return write(moves[int(rng.integers(len(moves)))])

    def _moves(self) -> tuple[str, ...]:
        """Return the good moves on the board, planning if it is new."""
        board = self._board
        if board not in self._plan:
            plan = find_plan(board)
            if plan is None:
                size, player = round(len(board) ** 0.5), find_player(board)
                legal = tuple(move for move in DIRECTIONS if can_move(size, board, player, move))
                plan = {board: legal}
            self._plan.update(plan)
        return self._plan[board]
