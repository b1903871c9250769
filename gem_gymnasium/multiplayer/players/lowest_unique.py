"""Lowest unique number by the mixed equilibrium of a single round.

If all play it, no number wins a round more often than another. Over several rounds that is a rule
of thumb: who is behind might rather choose otherwise.
"""

from __future__ import annotations

import functools
import re
from math import factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from gem_gymnasium.multiplayer.replies import boxed

ITERATIONS = 500

_LARGEST = re.compile(r"give a number from 1 to (\d+) as")
_SCORES = re.compile(r"^Rounds won: (.*);", re.M)
Array = npt.NDArray[np.float64]


def chances_to_win(mix: Array, others: int) -> Array:
    """Return the chance that each number wins a round if so many others draw theirs from ``mix``.

    Nobody else may choose it, and none lower may be chosen by one alone. Both are counted by
    exponential generating functions: the term of ``x^n`` of a number is the chance that n of the
    others choose it, over n!.
    """
    factorials = np.array([factorial(n) for n in range(others + 1)], np.float64)
    powers = np.arange(others + 1)
    below = np.array([1.0] + [0.0] * others)
    chances = np.zeros(len(mix))
    for place, chance in enumerate(mix):
        above = max(1.0 - mix[: place + 1].sum(), 0.0) ** powers / factorials
        chances[place] = np.convolve(below, above)[others] * factorials[others]
        own = chance**powers / factorials
        own[1] = 0.0
        below = np.convolve(below, own)[: others + 1]
    return chances


@functools.cache
def equilibrium(largest: int, seats: int) -> tuple[float, ...]:
    """Return the chance of each number, the same for every seat, in equilibrium.

    By replicator dynamics: a number that wins more often than the mean becomes more frequent.
    """
    mix = np.full(largest, 1.0 / largest)
    for _ in range(ITERATIONS):
        mix *= np.sqrt(chances_to_win(mix, seats - 1))
        mix /= mix.sum()
    return tuple(map(float, mix))


def play(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
    """Return a number drawn from the equilibrium."""
    largest = int(_LARGEST.findall(observation)[-1])
    seats = _SCORES.findall(observation)[-1].count("player_")
    return boxed(int(rng.choice(largest, p=equilibrium(largest, seats))) + 1)
