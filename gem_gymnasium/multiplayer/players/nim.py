"""Nim in closed form: leave heaps whose sizes cancel out in binary."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from gem_gymnasium.multiplayer.nim import Config, Move, write

_HEAP = re.compile(r"^Heap (\d+): (\d+)$", re.M)


def best_moves(heaps: tuple[int, ...], misere: bool) -> list[Move]:
    """Return the moves that win, or every move that takes one object where none does."""
    wins = [
        (heap, count)
        for heap, size in enumerate(heaps, 1)
        for count in range(1, size + 1)
        if is_lost((*heaps[: heap - 1], size - count, *heaps[heap:]), misere)
    ]
    return wins or [(heap, 1) for heap, size in enumerate(heaps, 1) if size]


def is_lost(heaps: tuple[int, ...], misere: bool) -> bool:
    """Return whether the one who moves loses against best play."""
    if misere and max(heaps) <= 1:
        return sum(heaps) % 2 == 1
    rest = 0
    for heap in heaps:
        rest ^= heap
    return rest == 0


class NimPlayer:
    """Wins wherever it can.

    Args:
        misere: Whether the last object loses.
    """

    def __init__(self, misere: bool) -> None:
        self._misere = misere

    def __call__(self, observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
        """Return one of the best replies, drawn."""
        heaps = tuple(int(size) for _, size in _HEAP.findall(observation))
        best = best_moves(heaps, self._misere)
        return write(best[int(rng.integers(len(best)))])


def player(config: Config) -> NimPlayer:
    """Return the player for a game's settings."""
    return NimPlayer(config.misere)
