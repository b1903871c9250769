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


def no_spread(mean: float, std: float) -> bool:
    """Return whether values of this mean and deviation differ by rounding only, or overflow."""
    return not std >= MIN_RELATIVE_STD * max(1.0, abs(mean)) or std == float("inf")


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
    if no_spread(mean, std):
        return Normalized(np.zeros_like(returns), mean, std, True)
    return Normalized((returns - mean) / (std + EPSILON), mean, std, False)


def reinforce(returns: Array, batch: Array | None = None) -> Normalized:
    """Plain REINFORCE: the return itself is the advantage (no baseline)."""
    everyone = returns if batch is None else batch
    if everyone.size == 0:
        return Normalized(returns.copy(), 0.0, 0.0, True)
    return Normalized(returns.copy(), float(everyone.mean()), float(everyone.std()), False)


ESTIMATORS = {"rebn": rebn, "reinforce": reinforce}
"""``ReinforceConfig.advantage_estimator`` -> what credits each turn with its own return."""


def grpo(totals: Array, group_size: int) -> Array:
    """Normalise each episode's return within its group: ``(R - mean) / (std + eps)``.

    Group Relative Policy Optimization (arXiv 2402.03300, section 4.1.2), population standard
    deviation. Every turn of an episode has the episode's advantage.

    Args:
        totals: Undiscounted returns of shape (E,), groups of neighbours; NaN for an episode that
            counts nowhere.
        group_size: Episodes a group; divides E.

    Returns:
        Advantages of shape (E,): 0 where the episode does not count, or its group has no spread.
    """
    centred, mean, count = _centre(totals, group_size)
    std = np.sqrt((centred**2).sum(axis=1, keepdims=True) / np.maximum(count, 1))
    dead = std < MIN_RELATIVE_STD * np.maximum(1.0, np.abs(mean))
    return np.where(dead, 0.0, centred / (std + EPSILON)).ravel()


def dr_grpo(totals: Array, group_size: int) -> Array:
    """Subtract the group's mean only: GRPO done right (Dr. GRPO, arXiv 2503.20783, section 3.2).

    Arguments and result as in :func:`grpo`.
    """
    return _centre(totals, group_size)[0].ravel()


def rloo(totals: Array, group_size: int) -> Array:
    """Subtract the mean of the *other* episodes of the group (RLOO, arXiv 2402.14740).

    Arguments and result as in :func:`grpo`; an episode without others has advantage 0.
    """
    centred, _, count = _centre(totals, group_size)
    return (centred * count / np.maximum(count - 1, 1)).ravel()


def _centre(totals: Array, group_size: int) -> tuple[Array, Array, Array]:
    """Return distances from the group's mean (0 for NaN), the means, and how many count.

    Shapes (groups, group_size), (groups, 1), (groups, 1).
    """
    groups = totals.reshape(-1, group_size)
    counts = np.isfinite(groups)
    count = counts.sum(axis=1, keepdims=True)
    mean = np.where(counts, groups, 0.0).sum(axis=1, keepdims=True) / np.maximum(count, 1)
    return np.where(counts, groups - mean, 0.0), mean, count.astype(np.float64)


GROUPED = {"grpo": grpo, "dr_grpo": dr_grpo, "rloo": rloo}
"""``ReinforceConfig.advantage_estimator`` -> what credits whole episodes, in groups of one seed."""
