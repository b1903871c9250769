"""Wilson's interval: how far a share that was measured may be from the true one."""

from __future__ import annotations

from math import sqrt

__all__ = ["Z95", "wilson"]

Z95 = 1.959964
"""Of a 95 % interval of a normal variable."""


def wilson(share: float, n: float) -> tuple[float, float]:
    """Return the 95 % interval of a share (J. Am. Stat. Assoc. 22, 1927).

    Args:
        share: What was measured, from 0 to 1.
        n: Of how many independent trials, above 0.
    """
    scale = 1.0 + Z95**2 / n
    center = (share + Z95**2 / (2 * n)) / scale
    half = Z95 * sqrt(share * (1 - share) / n + Z95**2 / (4 * n**2)) / scale
    return max(0.0, center - half), min(1.0, center + half)
