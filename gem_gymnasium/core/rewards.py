"""Rewards that add up exactly."""

from __future__ import annotations

from functools import lru_cache

_UNITS = 2**52
"""Multiples of 2**-52 up to 1 have exact sums in a float."""


@lru_cache(maxsize=4096)  # games ask for few shares, over and over
def share(part: int, whole: int) -> float:
    """Return ``part / whole``, rounded so that differences of shares add up without error.

    A game that pays ``share(after, n) - share(before, n)`` for progress from ``before`` to
    ``after`` of ``n`` pays 1 to the bit over a solved episode.
    """
    return round(part / whole * _UNITS) / _UNITS
