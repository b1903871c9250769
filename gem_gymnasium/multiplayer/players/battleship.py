"""Battleship by density: fires where most of the places that ships may have come together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from gem_gymnasium.multiplayer.battleship import SHIPS, Cell, Ship, write

HIT_WEIGHT = 100
"""How often a place counts for each hit that it explains: a ship that was hit is pursued first."""

_BOARD = re.compile(r"The other's board \(X hit, o miss\):\n.*\n((?:[A-J] .*\n)+)Your board")


def board_of(observation: str) -> list[list[str]]:
    """Return the other's board, row by row, as the newest view shows it."""
    return [line.split()[1:] for line in _BOARD.findall(observation)[-1].splitlines()]


def places(board: list[list[str]], length: int) -> Iterator[tuple[Ship, int]]:
    """Yield where a ship may lie, and the hits that it would explain.

    It lies on no miss and, since ships do not touch, beside no hit but its own.
    """
    size = len(board)
    hits = {(r, c) for r, c in product(range(size), repeat=2) if board[r][c] == "X"}
    for along, across in product(range(size - length + 1), range(size)):
        line = [(along + i, across) for i in range(length)]
        for ship in (tuple(line), tuple((b, a) for a, b in line)):
            if any(board[r][c] == "o" for r, c in ship):
                continue
            near = {(r + i, c + j) for r, c in ship for i in (-1, 0, 1) for j in (-1, 0, 1)} & hits
            if near <= set(ship):
                yield ship, len(near)


def density(board: list[list[str]]) -> dict[Cell, int]:
    """Return how many places go through each cell that was not fired at, weighed by hits."""
    size = len(board)
    weights = {(r, c): 0 for r, c in product(range(size), repeat=2) if board[r][c] == "."}
    for length in SHIPS[size]:
        for ship, hits in places(board, length):
            for cell in weights.keys() & set(ship):
                weights[cell] += HIT_WEIGHT**hits
    return weights


def play(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
    """Return one of the shots that look best, drawn."""
    weights = density(board_of(observation))
    best = [cell for cell, weight in weights.items() if weight == max(weights.values())]
    return write(best[int(rng.integers(len(best)))])
