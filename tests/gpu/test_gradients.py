"""What a GPU computes from given rows, against float64 on a CPU: log-probabilities, gradients."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from transformers import TrainerCallback

from gem_trl._compat import add_fused_lm_head
from gem_trl.batch import collate, log_probs_of
from gem_trl.loss import normalizer, policy_loss
from gem_trl.rows import Row
from tests.gpu.conftest import DEVICE, fixed_rows

CPU = torch.device("cpu")
TEMPERATURE = 0.7


@pytest.fixture(scope="module")
def rows(tokenizer: Any) -> list[Row]:
    return fixed_rows(len(tokenizer))


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-4), (torch.bfloat16, 0.2)])
def test_the_fused_head_and_plain_logits_agree(
    model: Any,
    rows: list[Row],
    measure: Callable[[str, Any], None],
    dtype: torch.dtype,
    tolerance: float,
) -> None:
    model.eval()
    model.to(dtype)  # the reference starts from the same, rounded, weights
    double = copy.deepcopy(model).double()
    with torch.no_grad():
        exact = log_probs_of(double, collate(rows, 0, CPU, torch.float64), TEMPERATURE, fused=False)
        model.to(DEVICE)
        batch = collate(rows, 0, DEVICE)
        plain = log_probs_of(model, batch, TEMPERATURE, fused=False)
        add_fused_lm_head(model, temperature=TEMPERATURE, outputs=("log_probs", "entropy"))
        fused = log_probs_of(model, batch, TEMPERATURE, fused=True)
    real = batch.reply_mask.cpu()
    for i, name in enumerate(("log_prob", "entropy")):
        values = {
            "plain": plain[i].double().cpu()[real],
            "fused": fused[i].double().cpu()[real],
            "exact": exact[i][real],
        }
        for one, other in (("plain", "fused"), ("plain", "exact"), ("fused", "exact")):
            gap = float((values[one] - values[other]).abs().max())
            measure(f"{name}: {one} - {other}", gap)
            assert gap <= tolerance, (name, one, other)


def gradients_in_float64(model: Any, rows: list[Row], longest: int) -> dict[str, torch.Tensor]:
    """Return the gradient of a whole mini-batch in one pass, with nothing of the trainer."""
    model = copy.deepcopy(model).double().train()
    batch = collate(rows, 0, CPU, torch.float64)
    log_probs, entropies = log_probs_of(model, batch, TEMPERATURE, fused=False)
    tokens = sum(len(row.reply_ids) for row in rows)
    policy_loss(
        log_probs,
        log_probs.detach(),
        batch.advantages,
        batch.mask,
        entropies,
        divisor=normalizer("constant", len(rows), tokens, longest),
        entropy_coef=0.01,
    ).loss.backward()
    return {name: value.grad for name, value in model.named_parameters()}


class KeepGradients(TrainerCallback):
    """Copies the gradients that an optimizer step is about to use."""

    def __init__(self) -> None:
        self.kept: dict[str, torch.Tensor] = {}

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.kept = {
            name: value.grad.detach().double().cpu()
            for name, value in kwargs["model"].named_parameters()
        }


@pytest.mark.parametrize(
    ("options", "tolerance"),
    [
        ({"bf16": False, "gradient_checkpointing": False}, 1e-4),
        ({"bf16": False, "gradient_checkpointing": True}, 1e-4),
        ({"bf16": True, "gradient_checkpointing": True}, 0.1),
    ],
    ids=["float32", "checkpointing", "bfloat16"],
)
def test_a_step_takes_the_gradient_of_float64_on_a_cpu(
    build_trainer: Any,
    model: Any,
    rows: list[Row],
    measure: Callable[[str, Any], None],
    options: dict[str, Any],
    tolerance: float,
) -> None:
    expected = gradients_in_float64(model, rows, longest=12)
    keep = KeepGradients()
    trainer = build_trainer(
        model=model,
        callbacks=[keep],
        num_rollouts=1,
        temperature=TEMPERATURE,
        entropy_coef=0.01,
        max_grad_norm=0.0,
        **options,
    )
    trainer._experience.next_mini_batch = lambda: rows
    trainer.train()
    assert keep.kept.keys() == expected.keys()
    errors = {
        name: float((keep.kept[name] - value).norm() / value.norm())
        for name, value in expected.items()
    }
    measure("largest relative error", max(errors.values()))
    assert max(errors.values()) <= tolerance, errors
