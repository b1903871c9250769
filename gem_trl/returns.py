"""Discounted returns and generalised advantages, per turn."""

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


def gae(
    rewards: Sequence[float],
    values: Sequence[float],
    final_value: float,
    gamma: float,
    lam: float,
) -> npt.NDArray[np.float64]:
    r"""Return the generalised advantage of every turn of one episode (arXiv 1506.02438, eq. 16).

    :math:`A_t = \sum_{k \ge t} (\gamma\lambda)^{k-t} \delta_k` with
    :math:`\delta_k = r_k + \gamma V_{k+1} - V_k`; the sum ends with the episode.

    Args:
        rewards: The reward of each turn, of shape (T,).
        values: The value of the state before each turn, of shape (T,).
        final_value: The value of the state behind the last turn; 0 if the episode terminated.
        gamma: The discount, at most 1.
        lam: 0 trusts the values, 1 the rewards.

    Returns:
        Advantages of shape (T,), float64; with ``lam`` 1, plus the values, the discounted returns.
    """
    advantages = np.empty(len(rewards), np.float64)
    following, next_value = 0.0, final_value
    for turn in range(len(rewards) - 1, -1, -1):
        delta = rewards[turn] + gamma * next_value - values[turn]
        following = delta + gamma * lam * following
        advantages[turn], next_value = following, values[turn]
    return advantages
