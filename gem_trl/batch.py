"""The padded tensors of a forward pass, and the log-probabilities it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gem_trl.rows import Row


class Batch(NamedTuple):
    """Padded tensors of B rows: prompts to the left, replies (T tokens at most) to the right."""

    input_ids: Tensor  # (B, P + T)
    attention_mask: Tensor  # (B, P + T)
    position_ids: Tensor  # (B, P + T)
    reply_ids: Tensor  # (B, T)
    mask: Tensor  # (B, T): 1 on reply tokens of rows that train
    advantages: Tensor  # (B,)
    old_log_probs: Tensor | None  # (B, T)
    reference_log_probs: Tensor | None  # (B, T)


def collate(
    rows: Sequence[Row], pad_id: int, device: torch.device, dtype: torch.dtype = torch.float32
) -> Batch:
    """Pad rows into one batch.

    Args:
        rows: At least one row; all with or all without old (and reference) log-probabilities.
        pad_id: The padding token.
        device: Where the tensors go.
        dtype: Of masks, advantages and log-probabilities.
    """
    prompt_width = max(len(row.prompt_ids) for row in rows)
    reply_width = max(len(row.reply_ids) for row in rows)
    shape = (len(rows), prompt_width + reply_width)
    ids = np.full(shape, pad_id, np.int64)
    attention = np.zeros(shape, np.int64)
    mask = np.zeros((len(rows), reply_width), np.float64)
    for i, row in enumerate(rows):
        start, end = prompt_width - len(row.prompt_ids), prompt_width + len(row.reply_ids)
        ids[i, start:end] = row.prompt_ids + row.reply_ids
        attention[i, start:end] = 1
        mask[i, : len(row.reply_ids)] = float(row.trains)
    # Left padding must not shift positions: RoPE forgives it, learned positions do not.
    positions = np.maximum(attention.cumsum(-1) - 1, 0)

    def padded(name: str) -> Tensor | None:
        values = [getattr(row, name) for row in rows]
        if values[0] is None:
            return None
        array = np.zeros((len(rows), reply_width), np.float64)
        for i, row_values in enumerate(values):
            array[i, : len(row_values)] = row_values
        return torch.as_tensor(array, dtype=dtype, device=device)

    return Batch(
        torch.as_tensor(ids, device=device),
        torch.as_tensor(attention, device=device),
        torch.as_tensor(positions, device=device),
        torch.as_tensor(ids[:, prompt_width:].copy(), device=device),
        torch.as_tensor(mask, dtype=dtype, device=device),
        torch.as_tensor([row.advantage for row in rows], dtype=dtype, device=device),
        padded("old_log_probs"),
        padded("reference_log_probs"),
    )


def log_probs_of(
    model: Any, batch: Batch, temperature: float, *, fused: bool
) -> tuple[Tensor, Tensor]:
    """Return log-probability and entropy (nats) of each reply token, both of shape (B, T).

    Args:
        model: A causal language model; with ``fused``, one that ``add_fused_lm_head`` (with this
            very temperature) was called on.
        batch: The rows.
        temperature: What the logits are divided by, as when the replies were sampled.
        fused: Never build the (B, T, vocabulary) logits; float32 at most.
    """
    width = batch.reply_ids.size(1)
    inputs = {
        "input_ids": batch.input_ids,
        "attention_mask": batch.attention_mask,
        "position_ids": batch.position_ids,
    }
    if fused:
        labels = batch.input_ids.masked_fill(batch.attention_mask == 0, -100)
        labels[:, :-width] = -100
        output = model(**inputs, labels=labels, fused_lm_head=True)
        return output.log_probs[:, -width:], output.entropy[:, -width:]
    logits = model(**inputs, logits_to_keep=width + 1).logits[:, :-1] / temperature
    # At least float32: half precision loses the tails that the entropy is made of.
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    log_probs = torch.log_softmax(logits, dim=-1)
    chosen = log_probs.gather(-1, batch.reply_ids.unsqueeze(-1)).squeeze(-1)
    return chosen, -(log_probs.exp() * log_probs).sum(-1)
