"""Tic-tac-toe by minimax: never loses, and wins as soon as it can."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gem_gymnasium.multiplayer.replies import boxed
from gem_gymnasium.multiplayer.tic_tac_toe import MARKS, winner


@functools.cache
def value(cells: tuple[int, ...], seat: int) -> int:
    """Return what a board is worth to the seat that moves: above 0 for a win, the sooner the more.

    1 and up: it wins; 0: a draw; -1 and down: it loses.
    """
    if winner(cells) is not None:
        return -(1 + cells.count(-1))
    if -1 not in cells:
        return 0
    return max(-value(after, 1 - seat) for _, after in moves(cells, seat))


def moves(cells: tuple[int, ...], seat: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return each free cell (1 to 9) and the board after it is taken."""
    return [
        (place + 1, (*cells[:place], seat, *cells[place + 1 :]))
        for place, owner in enumerate(cells)
        if owner == -1
    ]


def cells_of(observation: str) -> tuple[int, ...]:
    """Return the newest board that an observation shows."""
    lines = observation.splitlines()[-4:-1]
    signs = " ".join(lines).split()
    return tuple(MARKS.index(sign) if sign in MARKS else -1 for sign in signs)


def play(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
    """Return one of the best replies, drawn."""
    cells = cells_of(observation)
    seat = (9 - cells.count(-1)) % 2
    worth = {cell: -value(after, 1 - seat) for cell, after in moves(cells, seat)}
    best = [cell for cell, each in worth.items() if each == max(worth.values())]
    return boxed(best[int(rng.integers(len(best)))])
