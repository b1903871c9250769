"""The loss and its aggregations against numbers computed by hand."""

import math

import pytest
import torch

from gem_trl.loss import normalizer, policy_loss

DOUBLE = torch.float64


def tensor(values: list) -> torch.Tensor:
    return torch.tensor(values, dtype=DOUBLE)


LOG_PROBS = tensor([[-1.0, -2.0, -3.0], [-0.5, -9.0, -9.0]])
MASK = tensor([[1, 1, 1], [1, 0, 0]])
ADVANTAGES = tensor([2.0, -1.0])
ENTROPIES = tensor([[0.1, 0.2, 0.3], [0.4, 7.0, 7.0]])


@pytest.mark.parametrize(
    ("aggregation", "divisor"),
    [("constant", 2 * 10), ("sequence_sum", 2), ("token_mean", 4)],
)
def test_each_aggregation_divides_by_what_it_says(aggregation: str, divisor: float) -> None:
    assert normalizer(aggregation, rows=2, tokens=4, max_completion_length=10) == divisor


def test_an_empty_batch_divides_by_no_zero() -> None:
    assert normalizer("token_mean", 0, 0, 8) == 1
    assert normalizer("constant", 0, 0, 8) == 8


@pytest.mark.parametrize("divisor", [20.0, 2.0, 4.0])
def test_the_gradient_is_minus_advantage_over_divisor_on_reply_tokens_only(divisor: float) -> None:
    log_probs = LOG_PROBS.clone().requires_grad_()
    result = policy_loss(
        log_probs, log_probs.detach(), ADVANTAGES, MASK, ENTROPIES, divisor=divisor
    )
    # At ratio 1 the loss is the sum of -A over the four trained tokens: -(3 * 2 + 1 * -1) = -5.
    assert result.loss.item() == pytest.approx(-5.0 / divisor)
    result.loss.backward()
    expected = -ADVANTAGES.unsqueeze(1) * MASK / divisor
    torch.testing.assert_close(log_probs.grad, expected)


@pytest.mark.parametrize(
    ("ratio", "advantage", "loss", "slope"),
    [
        (1.0, 1.0, -1.0, -1.0),
        (1.5, 1.0, -1.2, 0.0),  # clipped above: no more gain, no gradient
        (0.5, 1.0, -0.5, -0.5),  # a good reply made less likely is never clipped
        (0.5, -1.0, 0.8, 0.0),  # clipped below
        (1.5, -1.0, 1.5, 1.5),
    ],
)
def test_the_ratio_is_clipped_as_in_ppo(
    ratio: float, advantage: float, loss: float, slope: float
) -> None:
    old = tensor([[-1.0]])
    log_probs = (old + math.log(ratio)).requires_grad_()
    result = policy_loss(
        log_probs, old, tensor([advantage]), tensor([[1]]), tensor([[0.0]]), divisor=1.0
    )
    assert result.loss.item() == pytest.approx(loss)
    result.loss.backward()
    assert log_probs.grad is not None
    assert log_probs.grad.item() == pytest.approx(slope)
    clipped = float(result.clipped_low_sum + result.clipped_high_sum)
    assert clipped == (1.0 if slope == 0.0 else 0.0)


def test_upper_and_lower_clip_are_separate() -> None:
    old = tensor([[-1.0]])
    result = policy_loss(
        old + math.log(1.4),
        old,
        tensor([1.0]),
        tensor([[1]]),
        tensor([[0.0]]),
        divisor=1.0,
        epsilon_low=0.1,
        epsilon_high=0.3,
    )
    assert result.loss.item() == pytest.approx(-1.3)


def test_kl_is_the_k3_estimate_and_is_zero_at_the_reference() -> None:
    log_probs, reference = tensor([[-1.0, -2.0]]), tensor([[-1.5, -2.0]])
    mask = tensor([[1, 1]])
    zero = tensor([[0.0, 0.0]])
    result = policy_loss(
        log_probs, log_probs, tensor([0.0]), mask, zero, reference, divisor=1.0, beta=0.5
    )
    k3 = math.exp(-0.5) + 0.5 - 1.0
    assert result.kl_sum.item() == pytest.approx(k3)
    assert result.loss.item() == pytest.approx(0.5 * k3)


def test_entropy_bonus_counts_reply_tokens_only() -> None:
    result = policy_loss(
        LOG_PROBS,
        LOG_PROBS,
        torch.zeros(2, dtype=DOUBLE),
        MASK,
        ENTROPIES,
        divisor=1.0,
        entropy_coef=0.1,
    )
    assert result.entropy_sum.item() == pytest.approx(1.0)
    assert result.loss.item() == pytest.approx(-0.1)


def test_padding_may_hold_anything() -> None:
    wild = LOG_PROBS.clone()
    wild[1, 1:] = -1e30
    old = LOG_PROBS.clone()
    old[1, 1:] = 0.0
    result = policy_loss(wild, old, ADVANTAGES, MASK, ENTROPIES, divisor=1.0)
    assert result.loss.item() == pytest.approx(-5.0)


def test_how_far_the_policy_has_moved_is_the_k3_estimate() -> None:
    moved = torch.where(MASK > 0, tensor([[0.2, -0.1, 0.0], [0.5, 3.0, 3.0]]), 5.0)
    result = policy_loss(LOG_PROBS + moved, LOG_PROBS, ADVANTAGES, MASK, ENTROPIES, divisor=1.0)
    expected = sum(math.exp(d) - 1 - d for d in (0.2, -0.1, 0.0, 0.5))
    assert result.moved_sum.item() == pytest.approx(expected)
