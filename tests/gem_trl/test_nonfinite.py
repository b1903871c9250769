"""Numbers that are not finite: none reaches the optimizer, and where they stay the run stops."""

import itertools
import math
from typing import Any

import pytest
import torch
from transformers import TrainerCallback

from gem_trl.batch import collate, log_probs_of
from gem_trl.nonfinite import MAX_SKIPPED_STEPS, STORED, NonFiniteError, leave_out_nonfinite
from gem_trl.rows import Row
from tests.gem_trl.faulty import ESTIMATORS
from tests.gem_trl.test_trainer import parameters

CPU = torch.device("cpu")
BAD = [math.nan, math.inf, -math.inf]


class At(TrainerCallback):
    """Calls ``act(trainer's model)`` once so many steps are done."""

    def __init__(self, step: int, act: Any) -> None:
        self.step, self.act = step, act

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.global_step == self.step:
            self.act(kwargs["model"])


class Break:
    """A hook on the head: puts a value into the logits of the first sequence, while it is on.

    Args:
        value: The value.
        training: Break what the loss reads; else what replies are sampled from.
        token: Break the logit of this token only; all of them if None.
    """

    def __init__(self, value: float, *, training: bool = True, token: int | None = None) -> None:
        self.value, self.training, self.token, self.on, self.times = value, training, token, True, 0

    def __call__(self, module: Any, inputs: Any, logits: Any) -> Any:
        if not self.on or torch.is_grad_enabled() != self.training:
            return logits
        self.times += 1
        broken = torch.zeros_like(logits, dtype=torch.bool)
        broken[0, :, slice(None) if self.token is None else self.token] = True
        return logits + torch.where(broken, self.value, 0.0)


@pytest.mark.parametrize("value", BAD)
@pytest.mark.parametrize("what", ["log_probs", *STORED, "advantage"])
def test_a_row_with_such_a_number_weighs_nothing(model: Any, what: str, value: float) -> None:
    rows = [
        Row(prompt_ids=(5, 6), reply_ids=(7, 8, 1), advantage=1.0),
        Row(prompt_ids=(5,), reply_ids=(9, 1), advantage=-1.0),
        Row(prompt_ids=(5,), reply_ids=(9, 1), advantage=3.0, trains=False),
    ]
    for row, number in zip(rows, (-1.0, -1.0, value), strict=True):
        for name in STORED:
            setattr(row, name, (number,) * len(row.reply_ids))
    if what == "advantage":
        rows[1].advantage = value
    elif what != "log_probs":
        setattr(rows[1], what, (-1.0, value))
    batch = collate(rows, 0, CPU)
    log_probs, entropies = log_probs_of(model, batch, 1.0, fused=False)
    if what == "log_probs":
        # -inf has a finite gradient; NaN has none, so it is put in behind the graph.
        log_probs = torch.where(torch.arange(3).view(3, 1) == 1, value, log_probs)
    cleaned, entropies, clean, dropped = leave_out_nonfinite(log_probs, entropies, batch)
    assert dropped == 1
    assert clean.mask.tolist() == [[1, 1, 1], [0, 0, 0], [0, 0, 0]]
    for tensor in (cleaned, entropies, *(getattr(clean, name) for name in STORED)):
        assert torch.isfinite(tensor).all()
    torch.testing.assert_close(cleaned[0], log_probs[0])
    cleaned.sum().backward()
    got = {name: p.grad.clone() for name, p in model.named_parameters()}
    model.zero_grad()
    alone = collate(rows[:1], 0, CPU)
    log_probs_of(model, alone, 1.0, fused=False)[0].sum().backward()
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(got[name], parameter.grad, rtol=1e-4, atol=1e-6)


def test_a_token_that_cannot_come_leaves_the_entropy_finite(model: Any) -> None:
    batch = collate([Row(prompt_ids=(5, 6), reply_ids=(7, 1), advantage=1.0)], 0, CPU)
    model.lm_head.register_forward_hook(
        lambda *call: call[-1].index_fill(-1, torch.tensor([9]), -math.inf)
    )
    log_probs, entropies = log_probs_of(model, batch, 1.0, fused=False)
    (log_probs + entropies).sum().backward()
    assert 0.0 < entropies.min() <= entropies.max() < math.log(len(model.lm_head.weight))
    assert all(torch.isfinite(p.grad).all() for p in model.parameters())


@pytest.mark.parametrize(
    ("estimator", "value"),
    [*((estimator, math.nan) for estimator in ESTIMATORS), ("rebn", math.inf)],
)
def test_weights_that_are_not_finite_stop_the_run(
    build_trainer: Any, estimator: str, value: float
) -> None:
    def spoil(model: Any) -> None:
        with torch.no_grad():
            model.model.layers[0].mlp.down_proj.weight[3, 4] = value

    trainer = build_trainer(
        num_rollouts=5, callbacks=[At(2, spoil)], advantage_estimator=estimator,
        **{**ESTIMATORS[estimator], "episodes_per_rollout": 6},
    )  # fmt: skip
    message = r"not finite \(first: model.layers.0.mlp.down_proj.weight\): start anew from"
    with pytest.raises(NonFiniteError, match=message):
        trainer.train()
    assert trainer.state.global_step == 2
    with pytest.raises(NonFiniteError, match="weights are not finite"):
        trainer.evaluate()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_step_without_a_finite_gradient_is_skipped(
    build_trainer: Any, model: Any, estimator: str, caplog: Any
) -> None:
    fault = Break(math.nan)
    model.lm_head.register_forward_hook(fault)
    seen: list[dict[str, torch.Tensor]] = [parameters(model)]
    keep = [At(step, lambda m: seen.append(parameters(m))) for step in (1, 2, 3, 4)]
    trainer = build_trainer(
        num_rollouts=4, advantage_estimator=estimator, learning_rate=1e-2,
        callbacks=[*keep, At(2, lambda m: setattr(fault, "on", False))],
        **{**ESTIMATORS[estimator], "episodes_per_rollout": 6},
    )  # fmt: skip
    trainer.train()
    logs = [log for log in trainer.state.log_history if "skipped_steps" in log]
    assert [log["skipped_steps"] for log in logs] == [1.0, 1.0, 0.0, 0.0]
    assert [log["nonfinite_rows"] >= 1 for log in logs] == [True, True, False, False]
    assert all(math.isfinite(value) for log in logs for value in log.values())
    moved = [
        any(not torch.equal(before[name], after[name]) for name in before)
        for before, after in itertools.pairwise(seen)
    ]
    assert moved == [False, False, True, True]
    assert caplog.text.count("optimizer step is skipped") == 1


@pytest.mark.parametrize("mini_batches", [1, 2])
def test_a_row_with_an_infinite_log_probability_is_left_out_and_the_rest_trains(
    build_trainer: Any, model: Any, tokenizer: Any, mini_batches: int
) -> None:
    # The head refuses, in training, the end of the first sequence of each micro-batch.
    model.lm_head.register_forward_hook(Break(-math.inf, token=tokenizer.eos_token_id))
    trainer = build_trainer(num_mini_batches=mini_batches, num_rollouts=2, logging_steps=1)
    before = parameters(model)
    trainer.train()
    logs = [log for log in trainer.state.log_history if "skipped_steps" in log]
    assert all(log["skipped_steps"] == 0.0 and log["nonfinite_rows"] >= 1.0 for log in logs)
    assert any(not torch.equal(before[name], p) for name, p in parameters(model).items())
    assert all(torch.isfinite(p).all() for p in model.parameters())


def test_gradients_that_stay_not_finite_stop_the_run(build_trainer: Any, model: Any) -> None:
    model.lm_head.register_forward_hook(Break(math.nan))
    before = parameters(model)
    trainer = build_trainer(num_rollouts=MAX_SKIPPED_STEPS + 3)
    message = rf"in {MAX_SKIPPED_STEPS + 1} optimizer steps in a row, while its weights are"
    with pytest.raises(NonFiniteError, match=message):
        trainer.train()
    assert trainer.state.global_step == MAX_SKIPPED_STEPS
    assert all(torch.equal(before[name], value) for name, value in parameters(model).items())


@pytest.mark.parametrize("value", BAD)
def test_logits_that_are_not_finite_do_not_end_a_rollout(
    build_trainer: Any, model: Any, value: float
) -> None:
    fault = Break(value, training=False)
    model.lm_head.register_forward_hook(fault)
    trainer = build_trainer(num_rollouts=2)
    trainer.train()
    assert fault.times > 2
    assert trainer.state.global_step == 2
    assert all(torch.isfinite(p).all() for p in model.parameters())
