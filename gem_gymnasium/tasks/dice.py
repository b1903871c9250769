"""Draws that the generators of tasks share: all that is random comes from a numpy generator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Rng = np.random.Generator
T = TypeVar("T")


def rng_of(*key: int) -> Rng:
    """Return the generator of an item: equal keys give equal draws on every machine."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(key)))


def between(rng: Rng, low: int, high: int) -> int:
    """Draw an integer from ``low`` to ``high``, both included."""
    return int(rng.integers(low, high, endpoint=True))


def pick(rng: Rng, options: Sequence[T]) -> T:
    """Draw one of the options."""
    return options[int(rng.integers(len(options)))]


def pick_some(rng: Rng, options: Sequence[T], count: int) -> list[T]:
    """Draw ``count`` options, none twice, in an order drawn too."""
    return [options[int(at)] for at in rng.permutation(len(options))[:count]]


def shuffled(rng: Rng, options: Sequence[T]) -> list[T]:
    """Return the options in an order drawn."""
    return pick_some(rng, options, len(options))


def chance(rng: Rng, probability: float) -> bool:
    """Return True with this probability."""
    return float(rng.random()) < probability
