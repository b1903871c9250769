"""The policy loss over token log-probabilities; pure functions of tensors."""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
from torch import Tensor

Aggregation = Literal["constant", "sequence_sum", "token_mean"]


class Loss(NamedTuple):
    """A loss to minimise, and detached sums over the trained tokens to report."""

    loss: Tensor
    """Scalar."""
    tokens: Tensor
    """How many tokens the sums below are over."""
    kl_sum: Tensor
    """Estimates of KL(pi || reference)."""
    moved_sum: Tensor
    """Estimates of KL(old || pi): how far the updates since the rollout have moved the policy."""
    entropy_sum: Tensor
    clipped_low_sum: Tensor
    clipped_high_sum: Tensor


def normalizer(
    aggregation: Aggregation, rows: float, tokens: float, max_completion_length: int
) -> float:
    """Return what the summed loss is divided by; ``rows`` and ``tokens`` of the global batch.

    ``constant``: rows times the longest possible reply (Dr. GRPO, arXiv 2503.20783), so that a
    token weighs the same in a short and in a long reply. ``sequence_sum``: rows, literally
    ``-A log pi(reply)`` on average. ``token_mean``: tokens.
    """
    if aggregation == "constant":
        return max(rows, 1.0) * max_completion_length
    return max(rows if aggregation == "sequence_sum" else tokens, 1.0)


def policy_loss(
    log_probs: Tensor,  # (B, T)
    old_log_probs: Tensor,  # (B, T)
    advantages: Tensor,  # (B,)
    mask: Tensor,  # (B, T)
    entropies: Tensor,  # (B, T)
    reference_log_probs: Tensor | None = None,  # (B, T)
    weights: Tensor | None = None,  # (B, T) or (B, 1)
    *,
    divisor: float,
    epsilon_low: float = 0.2,
    epsilon_high: float = 0.2,
    beta: float = 0.0,
    entropy_coef: float = 0.0,
) -> Loss:
    r"""Return the clipped surrogate loss (PPO, arXiv 1707.06347, equation 7), summed over tokens.

    Per token :math:`-\min(\rho A, \mathrm{clip}(\rho, 1-\epsilon_l, 1+\epsilon_h) A)` with
    :math:`\rho = \pi / \pi_{old}`; plus ``beta`` times the k3 estimate of KL(pi || reference),
    minus ``entropy_coef`` times the entropy; then divided by ``divisor``. Where ``old_log_probs``
    are the detached ``log_probs``, the gradient is that of :math:`-A \log \pi`.

    Args:
        log_probs: Log-probability of each reply token under the policy.
        old_log_probs: The same under the policy the row was sampled from.
        advantages: One advantage a row.
        mask: 1 on the reply tokens that train, 0 on padding and masked rows.
        entropies: Entropy of each token's distribution, in nats.
        reference_log_probs: Log-probabilities under the reference; needed if ``beta`` > 0.
        weights: Importance weights of the surrogate (not of KL and entropy); 1 if None.
        divisor: See :func:`normalizer`.
        epsilon_low: How far below 1 the ratio may fall before it is clipped.
        epsilon_high: How far above 1 it may rise.
        beta: Weight of the KL term.
        entropy_coef: Weight of the entropy bonus.
    """
    advantage = advantages.unsqueeze(1)
    # Padding holds arbitrary values; a masked difference of 0 keeps its ratio at 1.
    log_ratio = (log_probs - old_log_probs) * mask
    ratio = torch.exp(log_ratio)
    clipped = ratio.clamp(1.0 - epsilon_low, 1.0 + epsilon_high)
    per_token = -torch.minimum(ratio * advantage, clipped * advantage)
    if weights is not None:
        per_token = per_token * weights
    kl_sum = log_probs.new_zeros(())
    if beta:
        assert reference_log_probs is not None
        difference = (reference_log_probs - log_probs) * mask
        kl = torch.exp(difference) - difference - 1.0
        per_token = per_token + beta * kl
        kl_sum = (kl * mask).sum().detach()
    if entropy_coef:
        per_token = per_token - entropy_coef * entropies
    with torch.no_grad():
        moved = torch.expm1(log_ratio) - log_ratio  # k3, over tokens that the old policy sampled
        low = ((ratio < 1.0 - epsilon_low) & (advantage < 0)) * mask
        high = ((ratio > 1.0 + epsilon_high) & (advantage > 0)) * mask
    return Loss(
        (per_token * mask).sum() / divisor,
        mask.sum().detach(),
        kl_sum,
        (moved * mask).sum(),
        (entropies * mask).sum().detach(),
        low.sum(),
        high.sum(),
    )
