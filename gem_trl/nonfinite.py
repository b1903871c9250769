"""Keeps numbers that are not finite (NaN, infinities) away from the optimizer."""

# torch and accelerate are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import logging
from typing import Any

import torch
from accelerate import DistributedType  # pyright: ignore[reportMissingTypeStubs]  # it ships none
from torch import Tensor
from torch.distributed.tensor import DTensor

from gem_gymnasium import errors
from gem_trl.batch import Batch
from gem_trl.distributed import gather

logger = logging.getLogger(__name__)

MAX_SKIPPED_STEPS = 5
"""Optimizer steps that may be skipped in a row before training stops."""

STORED = ("old_log_probs", "reference_log_probs", "sampler_log_probs")
"""Fields of a batch that hold numbers of each token and may be None."""

REMEDY = (
    "start anew from the weights of the last checkpoint (as the model: a resumed run keeps its old "
    "rate) with a lower learning_rate or max_grad_norm, or in a wider dtype (bf16=False)"
)


class NonFiniteError(errors.GemError):
    """Weights, losses or gradients stay NaN or infinite, so nothing can be learned any more."""


def leave_out_nonfinite(
    log_probs: Tensor, entropies: Tensor, batch: Batch
) -> tuple[Tensor, Tensor, Batch, int]:
    """Take rows out of the loss that have a number which is not finite.

    What does not train (padding, masked rows, and now these rows) becomes 0 everywhere, since
    0 times NaN is NaN. That takes out stored numbers and tokens that cannot come; where the forward
    pass itself gave NaN, so does the backward pass, and :class:`NonFiniteGuard` skips the step.

    Args:
        log_probs: Log-probability of each reply token, (B, T).
        entropies: Entropy of each token's distribution, (B, T).
        batch: The rows.

    Returns:
        The same three, and how many rows were taken out that had trained.
    """
    trains = batch.mask > 0
    bad = ~torch.isfinite(batch.advantages)
    stored = {name: getattr(batch, name) for name in STORED if getattr(batch, name) is not None}
    for values in (log_probs, *stored.values()):
        bad = bad | (~torch.isfinite(values) & trains).any(1)
    keep = trains & ~bad.unsqueeze(1)
    clean = {name: torch.where(keep, values, 0.0) for name, values in stored.items()}
    batch = batch._replace(
        mask=torch.where(keep, batch.mask, 0.0),
        advantages=torch.where(bad, 0.0, batch.advantages),
        **clean,
    )
    dropped = int((bad & trains.any(1)).sum())
    return torch.where(keep, log_probs, 0.0), torch.where(keep, entropies, 0.0), batch, dropped


class NonFiniteGuard:
    """Watches the weights before a step and the gradients after it.

    Args:
        accelerator: Says how the model is distributed.
        whose: What the messages call it.
        scaled: Whether accelerate's scaler, if fp16 has one, judges the gradients.
    """

    def __init__(self, accelerator: Any, whose: str = "model", *, scaled: bool = True) -> None:
        self._accelerator, self._whose = accelerator, whose
        self._scaled = scaled and accelerator.scaler is not None
        self._in_a_row = 0
        self._warned = False

    def check_weights(self, model: Any) -> None:
        """Refuse weights that no update can mend, in any process's shard. A collective call.

        Raises:
            NonFiniteError: A weight is NaN or infinite; raised on every process.
        """
        parameters = [(name, _local(value)) for name, value in model.named_parameters()]
        bad = ""
        if parameters and not _all_finite([value for _, value in parameters]):
            bad = next(name for name, value in parameters if not _all_finite([value]))
        # A process that stopped alone would leave the others waiting for it.
        found = [name for name in gather([bad]) if name]
        if found:
            raise NonFiniteError(
                f"the {self._whose}'s weights are not finite (first: {found[0]}): {REMEDY}"
            )

    def check_loss(self, loss: Tensor) -> None:
        """Refuse a loss that cannot be taken back: DeepSpeed's backward also steps.

        Raises:
            NonFiniteError: The loss is not finite, and DeepSpeed is in charge of the steps.
        """
        deepspeed = self._accelerator.distributed_type == DistributedType.DEEPSPEED
        if deepspeed and not torch.isfinite(loss):
            raise NonFiniteError(f"the loss is {float(loss)}: {REMEDY}")

    def skips(self, model: Any, loss: Tensor) -> bool:
        """Return whether the optimizer must skip this step; its gradients are cleared then.

        All processes answer alike. A collective call.

        Args:
            model: Holds the gradients of the whole mini-batch.
            loss: Of the whole mini-batch on this process.

        Raises:
            NonFiniteError: It is one step in a row too many.
        """
        finite = bool(torch.isfinite(loss))
        if finite and not self._scaled:
            gradients = [p.grad for p in model.parameters() if p.grad is not None]
            finite = not gradients or _all_finite([_local(gradient) for gradient in gradients])
        if all(gather([finite])):
            self._in_a_row = 0
            return False
        self._in_a_row += 1
        if self._in_a_row > MAX_SKIPPED_STEPS:
            raise NonFiniteError(
                f"the {self._whose}'s loss or gradients were not finite in {self._in_a_row} "
                "optimizer steps in a row, while its weights are: look at the prompts and replies "
                f"(log_completions=True), or {REMEDY}"
            )
        if not self._warned:
            self._warned = True
            logger.warning(
                "the %s's loss or gradients are not finite: its optimizer step is skipped. This "
                "warning is not repeated; watch skipped_steps. More than %d skipped steps in a row "
                "end the training.",
                self._whose,
                MAX_SKIPPED_STEPS,
            )
        if not self._scaled:
            model.zero_grad(set_to_none=True)  # an optimizer passes over what has no gradient
        return True

    def state_dict(self) -> dict[str, int]:
        """Return what resuming needs: how many steps in a row were skipped."""
        return {"in_a_row": self._in_a_row}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Take up what ``state_dict`` returned."""
        self._in_a_row = state["in_a_row"]


def _local(tensor: Tensor) -> Tensor:
    """Return this process's part of a tensor, all of it unless it is sharded."""
    tensor = tensor.detach()
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def _all_finite(tensors: list[Tensor]) -> bool:
    # One answer at the end: asking for each would wait for the device each time.
    device = tensors[0].device
    return bool(torch.stack([torch.isfinite(t).all().to(device) for t in tensors]).all())
