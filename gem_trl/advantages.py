"""From returns to advantages: what multiplies the log-probability of each turn's reply."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

EPSILON = 1e-9
"""Added to the standard deviation, as in the reference."""

MIN_RELATIVE_STD = 1e-6
"""Below this share of ``max(1, |mean|)`` a batch has no spread but rounding, so no signal."""


class Normalized(NamedTuple):
    """Advantages, and the statistics they were normalised by."""

    advantages: Array
    mean: float
    std: float
    degenerate: bool
    """The returns are all (nearly) equal: the advantages are zero and nothing can be learned."""


def rebn(returns: Array, batch: Array | None = None) -> Normalized:
    """Normalise the returns of a batch: ``(G - mean) / (std + eps)``.

    This is Return Batch Normalization (GEM, arXiv 2510.01051, section 3.3).

    Population standard deviation, in two passes: ``E[G^2] - E[G]^2`` cancels where the returns are
    nearly equal.

    Args:
        returns: The returns of this process's turns, of shape (N,).
        batch: The returns of every process's turns, of shape (M,); ``returns`` if None.

    Returns:
        Advantages of shape (N,); zeros if the batch is degenerate or empty.
    """
    everyone = returns if batch is None else batch
    if everyone.size == 0:
        return Normalized(np.zeros_like(returns), 0.0, 0.0, True)
    mean = float(everyone.mean(dtype=np.float64))
    std = float(np.sqrt(np.mean((everyone - mean) ** 2, dtype=np.float64)))
    if std < MIN_RELATIVE_STD * max(1.0, abs(mean)):
        return Normalized(np.zeros_like(returns), mean, std, True)
    return Normalized((returns - mean) / (std + EPSILON), mean, std, False)


def reinforce(returns: Array, batch: Array | None = None) -> Normalized:
    """Plain REINFORCE: the return itself is the advantage (no baseline)."""
    everyone = returns if batch is None else batch
    if everyone.size == 0:
        return Normalized(returns.copy(), 0.0, 0.0, True)
    return Normalized(returns.copy(), float(everyone.mean()), float(everyone.std()), False)


ESTIMATORS = {"rebn": rebn, "reinforce": reinforce}
"""``ReinforceConfig.advantage_estimator`` -> its function."""
