"""Negotiation by an aspiration: what it wants falls from 8 points of 10 to 5 as messages run out.

It accepts what is as good as that, and else asks for as much with as few things as it can, which
leaves the other player most.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np

from gem_gymnasium.multiplayer.negotiation import TOTAL, Move, write

FIRST, LAST, CONCEDED = 0.8 * TOTAL, 0.5 * TOTAL, 0.0375 * TOTAL
"""What it wants first and last, and how much less with every message: from the tenth last on."""

# What a player says stands behind what it does, on the same line: it cannot pass for an offer.
_OFFER = re.compile(r"^The other player offers to keep [\w ,]+ and leave you ([\w ,]+)\.", re.M)
_VIEW = re.compile(
    r"^The pool: (.*?)\. Worth to you: (.*?)\. (\d+) messages? left\.\nIt is your turn: (.*)", re.M
)


def aspiration(left: int) -> float:
    """Return the points that it wants with so many messages left, its own one included.

    The last message cannot offer anything any more: whatever is offered is better than no deal.
    """
    return min(FIRST, LAST + CONCEDED * (left - 2)) if left > 1 else 0.0


def numbers(text: str) -> tuple[int, ...]:
    """Return the numbers in a text."""
    return tuple(map(int, re.findall(r"\d+", text)))


def play(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
    """Accept a good offer, or make one."""
    there, worth, left, form = _VIEW.findall(observation)[-1]
    pool, values, wanted = numbers(there), numbers(worth), aspiration(int(left))

    def points(things: tuple[int, ...]) -> int:
        return sum(n * value for n, value in zip(things, values, strict=True))

    offered = _OFFER.findall(observation)
    may_accept = "\\boxed{accept}" in form
    if may_accept and (points(numbers(offered[-1])) >= wanted if offered else int(left) == 1):
        return write(Move("accept"))
    asked = [keep for keep in product(*(range(n + 1) for n in pool)) if points(keep) >= wanted]
    best = min((sum(keep), -points(keep)) for keep in asked)
    fair = [keep for keep in asked if (sum(keep), -points(keep)) == best]
    return write(Move("offer", fair[int(rng.integers(len(fair)))]))
