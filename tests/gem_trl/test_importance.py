"""Importance weights against numbers computed by hand, and what they do to a training step."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from gem_trl.generation import Reply, Sampling
from gem_trl.importance import importance_weights, mismatch
from gem_trl.loss import policy_loss
from gem_trl.metrics import Averages
from gem_trl.rows import Row, micro_batches

LOG2 = math.log(2.0)
# Ratios 2, 1/2, 4 in the first row; 8, and two places of padding, in the second.
LOG_RATIO = torch.tensor([[LOG2, -LOG2, 2 * LOG2], [3 * LOG2, 0.0, 0.0]], dtype=torch.float64)
MASK = torch.tensor([[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]], dtype=torch.float64)


@pytest.mark.parametrize(
    ("mode", "low", "high", "expected"),
    [
        ("token_truncate", None, 3.0, [[2, 0.5, 3], [3, 1, 1]]),
        ("token_truncate", 1.0, None, [[2, 1, 4], [8, 1, 1]]),
        ("token_mask", None, 3.0, [[2, 0.5, 0], [0, 1, 1]]),
        ("token_mask", 1.0, 5.0, [[2, 0, 4], [0, 1, 1]]),
        ("sequence_truncate", None, 5.0, [[4], [5]]),  # 2 * 1/2 * 4 = 4, and 8
        ("sequence_truncate", 4.5, 9.0, [[4.5], [8]]),
        ("sequence_mask", None, 5.0, [[4], [0]]),
        ("sequence_mask", 4.5, None, [[0], [8]]),
    ],
)
def test_each_mode_weighs_as_computed_by_hand(
    mode: str, low: float | None, high: float | None, expected: list[list[float]]
) -> None:
    weights = importance_weights(LOG_RATIO, mode, low, high)
    torch.testing.assert_close(weights, torch.tensor(expected, dtype=torch.float64))


def test_the_modes_do_what_those_of_trl_do() -> None:
    """TRL computes them inside a method; this is the text of GRPOTrainer (1.16), on our tensors."""
    generator = torch.Generator().manual_seed(0)
    log_ratio = torch.randn(5, 4, generator=generator, dtype=torch.float64)
    for mode in ("token_truncate", "token_mask", "sequence_truncate", "sequence_mask"):
        difference = log_ratio
        if mode in ["sequence_mask", "sequence_truncate"]:
            difference = log_ratio.sum(dim=-1, keepdim=True)
        expected = torch.exp(difference)
        if mode in ["sequence_truncate", "token_truncate"]:
            expected = torch.clamp(expected, min=0.5, max=2.0)
        else:
            expected = expected.masked_fill((expected < 0.5) | (expected > 2.0), value=0.0)
        torch.testing.assert_close(importance_weights(log_ratio, mode, 0.5, 2.0), expected)


def test_an_overflowing_ratio_is_held_by_the_limits() -> None:
    far = torch.tensor([[1e4]])
    assert importance_weights(far, "sequence_truncate", None, 3.0).item() == 3.0
    assert importance_weights(far, "token_mask", None, 3.0).item() == 0.0


def test_the_gap_is_measured_as_computed_by_hand() -> None:
    gap = mismatch(LOG_RATIO, MASK)
    assert gap.tokens == 4
    assert gap.difference_sum == pytest.approx(7 * LOG2)
    assert gap.difference_max == pytest.approx(3 * LOG2)
    # r - 1 - log r over 2, 1/2, 4, 8
    by_hand = (1 - LOG2) + (-0.5 + LOG2) + (3 - 2 * LOG2) + (7 - 3 * LOG2)
    assert gap.kl_sum == pytest.approx(by_hand)


def test_a_tiny_gap_has_no_negative_divergence() -> None:
    noise = 1e-6 * torch.randn(8, 16, generator=torch.Generator().manual_seed(1))
    divergence = mismatch(noise, torch.ones_like(noise)).kl_sum
    assert divergence == pytest.approx(float((noise.double() ** 2).sum() / 2), rel=1e-3)
    assert divergence > 0


def test_weights_scale_the_surrogate_and_nothing_else() -> None:
    log_probs = torch.tensor([[-1.0, -2.0], [-3.0, -4.0]], dtype=torch.float64).requires_grad_()
    advantages = torch.tensor([1.0, -2.0], dtype=torch.float64)
    weights = torch.tensor([[3.0, 0.5], [2.0, 0.0]], dtype=torch.float64)
    ones = torch.ones(2, 2, dtype=torch.float64)
    result = policy_loss(
        log_probs, log_probs.detach(), advantages, ones, ones, weights=weights, divisor=10.0
    )
    result.loss.backward()
    # -A w / divisor
    expected = torch.tensor([[-0.3, -0.05], [0.4, 0.0]], dtype=torch.float64)
    torch.testing.assert_close(log_probs.grad, expected)

    reference = log_probs.detach() - 1.0
    none, zero = (
        policy_loss(
            log_probs,
            log_probs.detach(),
            torch.zeros(2, dtype=torch.float64),
            ones,
            ones,
            reference,
            given,
            divisor=1.0,
            beta=0.5,
            entropy_coef=0.1,
        )
        for given in (None, torch.zeros(2, 1, dtype=torch.float64))
    )
    assert zero.loss.item() == pytest.approx(none.loss.item())
    assert none.loss.item() == pytest.approx(4 * (0.5 * math.exp(-1.0) - 0.1))


def test_extremes_are_kept_beside_the_means() -> None:
    averages = Averages()
    for value in (3.0, -1.0, 2.0):
        averages.add("mean", value)
        averages.extreme("min", value, min)
        averages.extreme("max", value, max)
    assert averages.reduce() == {"mean": pytest.approx(4 / 3), "min": -1.0, "max": 3.0}
    assert averages.reduce() == {}


class Shifted:
    """Samples as the trainer does and says each token's log-probability less ``shift``."""

    def __init__(self, trainer: Any, shift: float, *, unknown: bool = False) -> None:
        self._trainer, self._own = trainer, trainer._generator
        self._shift, self._unknown = shift, unknown

    def sync_weights(self) -> None:
        pass

    def finish(self) -> None:
        pass

    def close(self) -> None:
        pass

    def generate(
        self, prompts: Sequence[Sequence[int]], sampling: Sampling, seed: int
    ) -> list[Reply]:
        replies = self._own.generate(prompts, sampling, seed)
        rows = [
            Row(prompt_ids=tuple(prompt), reply_ids=reply.ids, advantage=0.0)
            for prompt, reply in zip(prompts, replies, strict=True)
        ]
        self._trainer._scorer.store_old(self._trainer.model, rows)
        shifted: list[Reply] = []
        for number, (row, reply) in enumerate(zip(rows, replies, strict=True)):
            values = [value - self._shift for value in row.old_log_probs or ()]
            if self._unknown and number % 2:
                values[0] = math.nan
            shifted.append(reply._replace(log_probs=tuple(values)))
        return shifted


def copied(model: Any) -> Any:
    fresh = type(model)(model.config).double()
    fresh.load_state_dict(model.state_dict())
    fresh.generation_config = model.generation_config
    return fresh


@pytest.fixture
def stepped(build_trainer: Any, model: Any) -> Any:
    """Return a function that makes one training step and gives gradients, metrics and trainer."""

    def step(shift: float | None, *, unknown: bool = False, **options: Any) -> Any:
        trainer = build_trainer(model=copied(model), num_rollouts=1, max_grad_norm=0.0, **options)
        if shift is not None:
            generator = Shifted(trainer, shift, unknown=unknown)
            trainer._experience.collector._generator = generator
        trainer.create_optimizer_and_scheduler(options.get("num_mini_batches", 1))
        trainer.training_step(trainer.model, {"tick": 0})
        gradients = {name: p.grad.clone() for name, p in trainer.model.named_parameters()}
        return gradients, trainer._averages.reduce(), trainer

    return step


@pytest.mark.parametrize("num_mini_batches", [1, 2])
@pytest.mark.parametrize(
    ("mode", "high", "factor"),
    [("token_truncate", 3.0, 2.0), ("token_truncate", 1.5, 1.5), ("token_mask", 1.5, 0.0)],
)
def test_a_step_is_weighted_by_the_trainers_over_the_samplers_probability(
    stepped: Any, mode: str, high: float, factor: float, num_mini_batches: int
) -> None:
    options = {
        "num_mini_batches": num_mini_batches,  # with two, the old log-probabilities are stored
        "vllm_importance_sampling_mode": mode,
        "vllm_importance_sampling_clip_max": high,
    }
    plain, unmeasured, _ = stepped(None, **options)
    weighted, metrics, _ = stepped(LOG2, **options)
    assert any(value.abs().max() > 0 for value in plain.values())
    for name, value in plain.items():
        # Llama norms in float32 whatever the weights are.
        assert (weighted[name] - factor * value).abs().max() <= 1e-6 * value.abs().max(), name
    assert metrics["sampling/sampling_logp_difference/mean"] == pytest.approx(LOG2)
    assert metrics["sampling/sampling_logp_difference/max"] == pytest.approx(LOG2)
    assert metrics["sampling/kl"] == pytest.approx(1 - LOG2)  # r = 2: 2 - 1 - log 2
    for which in ("min", "mean", "max"):
        assert metrics[f"sampling/importance_sampling_ratio/{which}"] == pytest.approx(factor)
    assert not any(name.startswith("sampling/") for name in unmeasured)


def test_without_the_correction_the_gap_is_only_reported(stepped: Any) -> None:
    plain, _, _ = stepped(None)
    off, metrics, _ = stepped(LOG2, vllm_importance_sampling_correction=False)
    for name, value in plain.items():
        assert torch.equal(off[name], value)
    assert metrics["sampling/kl"] == pytest.approx(1 - LOG2)
    assert "sampling/importance_sampling_ratio/mean" not in metrics


def test_a_reply_of_unknown_probability_is_masked_and_counted(stepped: Any) -> None:
    gradients, metrics, trainer = stepped(0.0, unknown=True, episodes_per_rollout=24)
    assert all(torch.isfinite(value).all() for value in gradients.values())
    assert any(value.abs().max() > 0 for value in gradients.values())
    assert metrics["sampling/importance_sampling_ratio/max"] == pytest.approx(1.0)
    taken = trainer._experience.take_metrics()
    assert 0 < taken["sampling/nan_rows"] < taken["rollout/transitions"]


def test_not_a_number_in_a_masked_row_stays_out_of_a_batch(build_trainer: Any, model: Any) -> None:
    trainer = build_trainer(model=copied(model))
    rows = [
        Row(prompt_ids=(1, 2), reply_ids=(3, 4), advantage=1.0, sampler_log_probs=(-1.0, -1.0)),
        Row(
            prompt_ids=(1, 2),
            reply_ids=(3,),
            advantage=0.0,
            trains=False,
            sampler_log_probs=(math.nan,),
        ),
    ]
    (part,) = micro_batches(rows, 8)
    loss = trainer.compute_loss(trainer.model, {"rows": part, "divisor": 1.0})
    loss.backward()
    assert torch.isfinite(loss)
    assert all(torch.isfinite(p.grad).all() for p in trainer.model.parameters())
