"""Tower of Hanoi in closed form: the one shortest way from any position."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.tower_of_hanoi import PEGS, Move, write

_PEGS = re.compile(r"^A: (-|\d(?: \d)*)\nB: (-|\d(?: \d)*)\nC: (-|\d(?: \d)*)$", re.MULTILINE)


def read_pegs(observation: str) -> tuple[str, ...] | None:
    """Return the last pegs that a text shows, each a str of its disks, or None."""
    boards = _PEGS.findall(observation)
    return tuple(re.sub(r"\D", "", peg) for peg in boards[-1]) if boards else None


def next_move(pegs: tuple[str, ...]) -> Move | None:
    """Return the next move of the shortest way to all disks on C, or None if they lie there.

    The largest disk that is not on its goal has to go there once, and before it does, all smaller
    ones have to go to the third peg, which is their goal; and so on down to a disk that is free to
    move.
    """
    goal, move = len(PEGS) - 1, None
    for disk in sorted("".join(pegs), reverse=True):
        place = next(i for i, peg in enumerate(pegs) if disk in peg)
        if place != goal:
            move = PEGS[place], PEGS[goal]
            goal = 3 - place - goal
    return move


class TowerOfHanoiSolver:
    """Play the shortest way from wherever the disks are."""

    def __init__(self) -> None:
        self._pegs: tuple[str, ...] = ()

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Read the pegs.

        Raises:
            ConfigError: The text shows none.
        """
        pegs = read_pegs(observation)
        if pegs is None:
            raise ConfigError(f"no pegs in {observation[-400:]!r}")
        self._pegs = pegs

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Read the last pegs of the text, if it shows any."""
        self._pegs = read_pegs(observation) or self._pegs

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next move of the shortest way."""
        self.observe(observation, info)
        return self._write_next()

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Return the next move of the shortest way: there is only one."""
        return self._write_next()

    def _write_next(self) -> str:
        return write(next_move(self._pegs) or (PEGS[0], PEGS[-1]))
