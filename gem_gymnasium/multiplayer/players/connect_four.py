"""Connect Four by alpha-beta on bit boards: looks some moves ahead, wins and blocks at once.

Nobody plays it perfectly in the time of a turn; this player is strong, not perfect.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gem_gymnasium.multiplayer.connect_four import MARKS
from gem_gymnasium.multiplayer.replies import boxed

ROWS, COLUMNS = 6, 7
HEIGHT = ROWS + 1
"""Bits of a column: one above the board parts it from the next."""

DEPTH = 4
WON = 1_000
ORDER = (3, 2, 4, 1, 5, 0, 6)
"""Middle columns first, since they are mostly better: more is cut off."""

_FULL = [((1 << ROWS) - 1) << (column * HEIGHT) for column in range(COLUMNS)]
_BOTTOM = [1 << (column * HEIGHT) for column in range(COLUMNS)]


def is_won(board: int) -> bool:
    """Return whether a player's pieces hold four in a row."""
    for shift in (1, HEIGHT, HEIGHT - 1, HEIGHT + 1):
        pairs = board & (board >> shift)
        if pairs & (pairs >> (2 * shift)):
            return True
    return False


def _lines() -> list[int]:
    """Return every four cells in a row."""
    found: list[int] = []
    for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
        for column in range(COLUMNS):
            for row in range(ROWS):
                cells = [(row + i * down, column + i * right) for i in range(4)]
                if all(0 <= r < ROWS and 0 <= c < COLUMNS for r, c in cells):
                    found.append(sum(1 << (c * HEIGHT + r) for r, c in cells))
    return found


_LINES = _lines()


def estimate(own: int, other: int) -> int:
    """Return how good a board without a winner is for the one who owns ``own``."""
    total = 0
    for line in _LINES:
        mine, theirs = (own & line).bit_count(), (other & line).bit_count()
        if not theirs:
            total += (0, 1, 4, 12)[mine]
        elif not mine:
            total -= (0, 1, 4, 12)[theirs]
    return total


def search(own: int, other: int, depth: int, low: int, high: int, seen: dict[Any, int]) -> int:
    """Return the value of a board to the one who moves, by alpha-beta."""
    mask = own | other
    drops = [(mask + _BOTTOM[column]) & _FULL[column] & ~mask for column in ORDER]
    drops = [drop for drop in drops if drop]
    if not drops:
        return 0
    if any(is_won(own | drop) for drop in drops):
        return WON + depth
    if depth == 0:
        return estimate(own, other)
    key = own, mask, depth, low, high
    if key in seen:
        return seen[key]
    best = -2 * WON
    for drop in drops:
        best = max(best, -search(other, own | drop, depth - 1, -high, -max(low, best), seen))
        if best >= high:
            break
    seen[key] = best
    return best


def boards_of(observation: str) -> list[int]:
    """Return each seat's pieces on the newest board that an observation shows."""
    rows = [line.split() for line in observation.splitlines()[-2 - ROWS : -2]]
    boards = [0, 0]
    for row, signs in enumerate(reversed(rows)):
        for column, sign in enumerate(signs):
            if sign in MARKS:
                boards[MARKS.index(sign)] |= 1 << (column * HEIGHT + row)
    return boards


def play(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
    """Return one of the replies that look best, drawn."""
    first, second = boards_of(observation)
    seat = (first | second).bit_count() % 2
    own, other = (first, second) if seat == 0 else (second, first)
    mask = own | other
    worth: dict[int, int] = {}
    seen: dict[Any, int] = {}
    for column in range(COLUMNS):
        drop = (mask + _BOTTOM[column]) & _FULL[column] & ~mask
        if drop:
            won = is_won(own | drop)
            worth[column] = (
                2 * WON if won else -search(other, own | drop, DEPTH, -2 * WON, 2 * WON, seen)
            )
    best = [column for column, each in worth.items() if each == max(worth.values())]
    return boxed(best[int(rng.integers(len(best)))] + 1)
