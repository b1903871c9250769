"""Log-probabilities of rows: for the loss, and stored in the rows before an update."""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

from gem_trl.batch import Batch, collate, log_probs_of
from gem_trl.rows import Row, micro_batches


class Scorer:
    """Knows how a model is to be asked for log-probabilities.

    Args:
        accelerator: Unwraps the model, and sets autocast.
        reference: The model that the KL term measures from; None for none, or where the policy is
            a PEFT adapter, which is then switched off instead.
        pad_id: The padding token.
        temperature: Of the replies.
        fused: See :func:`gem_trl.batch.log_probs_of`.
        batch_size: Rows of a forward pass.
    """

    def __init__(
        self,
        accelerator: Any,
        reference: Any,
        *,
        pad_id: int,
        temperature: float,
        fused: bool,
        batch_size: int,
    ) -> None:
        self._accelerator, self._reference = accelerator, reference
        self._pad_id, self._temperature = pad_id, temperature
        self._fused, self._batch_size = fused, batch_size

    def collate(self, model: Any, rows: Sequence[Row]) -> Batch:
        """Pad rows for a model, in float64 if that is the model's dtype."""
        dtype = self._accelerator.unwrap_model(model).dtype
        dtype = torch.float64 if dtype == torch.float64 else torch.float32
        return collate(rows, self._pad_id, self._accelerator.device, dtype)

    def log_probs(self, model: Any, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return log-probability and entropy of each reply token, (B, T)."""
        with self._accelerator.autocast():
            return log_probs_of(model, batch, self._temperature, fused=self._fused)

    def store_old(self, model: Any, rows: Sequence[Row]) -> None:
        """Store the log-probabilities under the present policy in the rows."""
        self._store(self._accelerator.unwrap_model(model), rows, "old_log_probs")

    def store_reference(self, model: Any, rows: Sequence[Row]) -> None:
        """Store the log-probabilities under the reference in the rows."""
        if self._reference is not None:
            self._store(self._reference, rows, "reference_log_probs")
            return
        adapted = self._accelerator.unwrap_model(model)
        self._store(adapted, rows, "reference_log_probs", adapted.disable_adapter())

    @torch.no_grad()
    def _store(
        self,
        model: Any,
        rows: Sequence[Row],
        name: str,
        context: AbstractContextManager[Any] | None = None,
    ) -> None:
        with context or nullcontext():
            for part in micro_batches(rows, self._batch_size):
                log_probs, _ = self.log_probs(model, self.collate(model, part))
                for row, values in zip(part, log_probs.tolist(), strict=True):
                    setattr(row, name, tuple(values[: len(row.reply_ids)]))
