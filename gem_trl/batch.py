"""The padded tensors of a forward pass, and the log-probabilities it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gem_trl.rows import Row, chains


class Batch(NamedTuple):
    """Padded tensors of B rows, read off N <= B sequences of S tokens; replies have T at most.

    Rows that go on from each other (see :func:`gem_trl.rows.chains`) share a sequence, so a chat of
    many turns is read once. Sequences are padded on the left, replies on the right.
    """

    input_ids: Tensor  # (N, S)
    attention_mask: Tensor  # (N, S)
    position_ids: Tensor  # (N, S)
    sequences: Tensor  # (B,): the sequence that holds the row
    starts: Tensor  # (B,): the column of its reply's first token
    first_start: int  # the smallest of them
    reply_ids: Tensor  # (B, T)
    reply_mask: Tensor  # (B, T): True on reply tokens
    mask: Tensor  # (B, T): 1 on reply tokens of rows that train
    advantages: Tensor  # (B,)
    sampler_log_probs: Tensor | None  # (B, T)
    old_log_probs: Tensor | None  # (B, T)
    reference_log_probs: Tensor | None  # (B, T)
    values: Tensor | None  # (B,): what the critic said before the update
    value_targets: Tensor | None  # (B,)

    @property
    def inputs(self) -> dict[str, Tensor]:
        """What a model reads."""
        return {
            "input_ids": self.input_ids,
            "attention_mask": self.attention_mask,
            "position_ids": self.position_ids,
        }


def collate(
    rows: Sequence[Row], pad_id: int, device: torch.device, dtype: torch.dtype = torch.float32
) -> Batch:
    """Pad rows into one batch.

    Args:
        rows: At least one row; each kind of log-probabilities, and of values, is in all of them or
            in none.
        pad_id: The padding token.
        device: Where the tensors go.
        dtype: Of masks, advantages and log-probabilities.
    """
    groups = chains(rows)
    longest = [rows[group[-1]] for group in groups]
    width = max(row.length for row in longest)
    ids = np.full((len(groups), width), pad_id, np.int64)
    attention = np.zeros((len(groups), width), np.int64)
    sequences, starts = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    for number, (group, row) in enumerate(zip(groups, longest, strict=True)):
        begin = width - row.length
        ids[number, begin:] = row.prompt_ids + row.reply_ids
        attention[number, begin:] = 1
        for i in group:
            sequences[i], starts[i] = number, begin + len(rows[i].prompt_ids)
    # Left padding must not shift positions: RoPE forgives it, learned positions do not.
    positions = np.maximum(attention.cumsum(-1) - 1, 0)
    shape = (len(rows), max(len(row.reply_ids) for row in rows))
    replies, real = np.full(shape, pad_id, np.int64), np.zeros(shape, np.bool_)
    for i, row in enumerate(rows):
        replies[i, : len(row.reply_ids)] = row.reply_ids
        real[i, : len(row.reply_ids)] = True
    trains = np.array([row.trains for row in rows])

    def padded(name: str) -> Tensor | None:
        values = [getattr(row, name) for row in rows]
        if values[0] is None:
            return None
        array = np.zeros(shape, np.float64)
        for i, row_values in enumerate(values):
            array[i, : len(row_values)] = row_values
        return torch.as_tensor(array, dtype=dtype, device=device)

    def single(name: str) -> Tensor | None:
        values = [getattr(row, name) for row in rows]
        return None if values[0] is None else torch.tensor(values, dtype=dtype, device=device)

    return Batch(
        torch.as_tensor(ids, device=device),
        torch.as_tensor(attention, device=device),
        torch.as_tensor(positions, device=device),
        torch.as_tensor(sequences, device=device),
        torch.as_tensor(starts, device=device),
        int(starts.min()),
        torch.as_tensor(replies, device=device),
        torch.as_tensor(real, device=device),
        torch.as_tensor(real & trains[:, None], dtype=dtype, device=device),
        torch.as_tensor([row.advantage for row in rows], dtype=dtype, device=device),
        padded("sampler_log_probs"),
        padded("old_log_probs"),
        padded("reference_log_probs"),
        single("value"),
        single("value_target"),
    )


def log_probs_of(
    model: Any, batch: Batch, temperature: float, *, fused: bool
) -> tuple[Tensor, Tensor]:
    """Return log-probability and entropy (nats) of each reply token, both of shape (B, T).

    What stands behind the end of a reply is arbitrary.

    Args:
        model: A causal language model; with ``fused``, one that ``add_fused_lm_head`` (with this
            very temperature) was called on.
        batch: The rows.
        temperature: What the logits are divided by, as when the replies were sampled.
        fused: Never build the logits; float32 at most.
    """
    rows, width = batch.reply_ids.shape
    columns = batch.starts.unsqueeze(1) + torch.arange(width, device=batch.starts.device)  # (B, T)
    columns = columns.clamp(max=batch.input_ids.size(1) - 1)
    sequences = batch.sequences.unsqueeze(1).expand_as(columns)
    if fused:
        labels = torch.full_like(batch.input_ids, -100)
        real = sequences[batch.reply_mask], columns[batch.reply_mask]
        labels[real] = batch.input_ids[real]
        output = model(**batch.inputs, labels=labels, fused_lm_head=True)
        places = columns - 1  # what predicts the token in column c stands before it
        return output.log_probs[sequences, places], output.entropy[sequences, places]
    # The logits before column c are of the token in column c; none are needed before the replies.
    kept = batch.input_ids.size(1) - batch.first_start + 1
    logits = model(**batch.inputs, logits_to_keep=kept).logits  # (N, kept, vocabulary)
    places = sequences * kept + columns - batch.first_start
    logits = logits.flatten(0, 1).index_select(0, places.flatten())
    if temperature != 1.0:  # spares a copy of the largest tensor of all
        logits = logits / temperature
    # At least float32: half precision loses the tails that the entropy is made of.
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    log_probs = torch.log_softmax(logits, dim=-1)  # (B * T, vocabulary)
    chosen = log_probs.gather(-1, batch.reply_ids.view(-1, 1))
    # A token that cannot come has log-probability -inf; 0 * -inf is NaN, its limit is 0.
    lowest = torch.finfo(log_probs.dtype).min
    entropies = -(log_probs.exp() * log_probs.clamp(min=lowest)).sum(-1)
    return chosen.view(rows, width), entropies.view(rows, width)
