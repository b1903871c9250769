"""Importance weights for replies whose sampler is not quite the policy that is trained.

An engine of its own computes other log-probabilities than the training model from the same weights
(kernels, dtype). The loss is an expectation over the training model's replies, so each sampled
reply is weighted by the ratio of the two probabilities, held within limits: truncated importance
sampling, as TRL does it.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gem_trl.batch import Batch
from gem_trl.config import ReinforceConfig
from gem_trl.metrics import Averages


def importance_weights(
    log_ratio: Tensor,  # (B, T)
    mode: str,
    clip_min: float | None,
    clip_max: float | None,
) -> Tensor:
    """Return the weights of the tokens, (B, T), or of whole replies, (B, 1).

    Args:
        log_ratio: Trainer's log-probability of each token minus the sampler's; 0 where masked.
        mode: ``token_*``: a ratio for each token; ``sequence_*``: their product over the reply.
            ``*_truncate``: clipped to the limits; ``*_mask``: 0 outside them.
        clip_min: Lower limit; None for none.
        clip_max: Upper limit; None for none.
    """
    granularity, constraint = mode.split("_")
    if granularity == "sequence":
        log_ratio = log_ratio.sum(dim=-1, keepdim=True)
    ratio = torch.exp(log_ratio)
    if constraint == "truncate":
        return ratio.clamp(min=clip_min, max=clip_max)
    outside = torch.zeros_like(ratio, dtype=torch.bool)
    if clip_min is not None:
        outside |= ratio < clip_min
    if clip_max is not None:
        outside |= ratio > clip_max
    return ratio.masked_fill(outside, 0.0)


class Mismatch(NamedTuple):
    """How far trainer and sampler are apart, over the trained tokens; floats."""

    tokens: float
    difference_sum: float
    difference_max: float
    kl_sum: float


def mismatch(log_ratio: Tensor, mask: Tensor) -> Mismatch:
    """Measure the gap between two sets of log-probabilities.

    The divergence is the k3 estimate of KL(sampler || trainer) from the sampler's own tokens,
    ``r - 1 - log r`` with ``r`` = trainer's probability over sampler's (Schulman, "Approximating KL
    divergence", 2020): never negative, in float64 so that a small gap is not lost in rounding.

    Args:
        log_ratio: Trainer's log-probabilities minus the sampler's, (B, T); 0 where masked.
        mask: 1 on the trained tokens, (B, T).
    """
    size, precise = log_ratio.abs(), log_ratio.double()
    return Mismatch(
        float(mask.sum()),
        float(size.sum()),
        float(size.max()),
        float((torch.expm1(precise) - precise).sum()),
    )


@torch.no_grad()
def weigh(
    old_log_probs: Tensor, batch: Batch, args: ReinforceConfig, averages: Averages
) -> Tensor | None:
    """Return the weights of a batch's surrogate loss, and add to the metrics under ``sampling/``.

    Args:
        old_log_probs: The trainer's, under the weights that the replies were sampled from, (B, T).
        batch: The rows; without the sampler's log-probabilities there is nothing to do.
        args: The configuration.
        averages: Where the metrics go.

    Returns:
        Shape (B, T) or (B, 1); None where nothing is to be weighted.
    """
    if batch.sampler_log_probs is None:
        return None
    trained = batch.mask > 0
    # Padding and masked rows hold arbitrary values, not-a-number among them.
    log_ratio = torch.where(trained, old_log_probs - batch.sampler_log_probs, 0.0)
    gap = mismatch(log_ratio, batch.mask)
    if not gap.tokens:
        return None
    name = "sampling/sampling_logp_difference"
    averages.add(f"{name}/mean", gap.difference_sum, gap.tokens)
    averages.extreme(f"{name}/max", gap.difference_max, max)
    averages.add("sampling/kl", gap.kl_sum, gap.tokens)
    if not args.vllm_importance_sampling_correction:
        return None
    weights = importance_weights(
        log_ratio,
        args.vllm_importance_sampling_mode,
        args.vllm_importance_sampling_clip_min,
        args.vllm_importance_sampling_clip_max,
    )
    per_row = weights.size(1) == 1 and args.vllm_importance_sampling_mode.startswith("sequence")
    counted = weights[trained.any(dim=1)] if per_row else weights[trained]
    name = "sampling/importance_sampling_ratio"
    averages.add(f"{name}/mean", float(counted.sum()), counted.numel())
    averages.extreme(f"{name}/min", float(counted.min()), min)
    averages.extreme(f"{name}/max", float(counted.max()), max)
    return weights
