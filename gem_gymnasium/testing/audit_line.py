"""A line of an audit: what one policy earned on an id."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.intervals import wilson


class Line(NamedTuple):
    """What one policy earned on an id."""

    policy: str
    score: float
    low: float
    """Ends of the 95 % interval of the mean score."""
    high: float
    rows: int
    crashes: int
    """Steps that raised or were invalid."""
    mean_s: float
    worst_s: float
    """Seconds of a step."""


class Tally:
    """What a policy has earned so far."""

    def __init__(self) -> None:
        self.scores: list[float] = []
        self.times: list[float] = []
        self.crashes = 0

    def line(self, name: str) -> Line:
        """Return it as a line of the report."""
        low, high = interval(self.scores)
        mean = float(np.mean(self.scores)) if self.scores else math.nan
        seconds = (float(np.mean(self.times)), max(self.times)) if self.times else (0.0, 0.0)
        return Line(name, mean, low, high, len(self.scores), self.crashes, *seconds)


def interval(scores: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of a mean of scores in [0, 1].

    Wilson's, with the variance that the scores have in place of p(1 - p) where it is smaller, as
    scores between 0 and 1 make it.
    """
    n = len(scores)
    if not n:
        return 0.0, 1.0
    mean = float(np.mean(scores))
    share = float(np.var(scores)) / (mean * (1 - mean)) if 0 < mean < 1 else 1.0
    return wilson(mean, n / max(share, 1e-9))
