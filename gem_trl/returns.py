"""Discounted returns per turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def discounted_returns(rewards: Sequence[float], gamma: float) -> npt.NDArray[np.float64]:
    r"""Return :math:`G_t = \sum_{k \ge t} \gamma^{k-t} r_k` for every turn of one episode.

    The discount is per turn, not per token (GEM, arXiv 2510.01051, section 3.1).

    Args:
        rewards: The reward of each turn, of shape (T,).
        gamma: The discount, at most 1.

    Returns:
        Returns of shape (T,), float64.
    """
    returns = np.empty(len(rewards), np.float64)
    following = 0.0
    for turn in range(len(rewards) - 1, -1, -1):
        following = rewards[turn] + gamma * following
        returns[turn] = following
    return returns
