"""Returns and advantages against numbers computed by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gem_trl.advantages import rebn, reinforce
from gem_trl.returns import discounted_returns


@pytest.mark.parametrize(
    ("rewards", "gamma", "expected"),
    [
        ([], 0.9, []),
        ([1.0], 0.5, [1.0]),
        ([0.0, 0.0, 1.0], 0.9, [0.81, 0.9, 1.0]),
        ([1.0, 2.0, 3.0], 0.5, [2.75, 3.5, 3.0]),
        ([0.25, -0.1, 0.5], 1.0, [0.65, 0.4, 0.5]),
        ([1.0, 5.0], 0.0, [1.0, 5.0]),
    ],
)
def test_returns_are_those_computed_by_hand(
    rewards: list[float], gamma: float, expected: list[float]
) -> None:
    np.testing.assert_allclose(discounted_returns(rewards, gamma), expected, rtol=0, atol=1e-15)


@given(st.lists(st.floats(-10, 10), max_size=20), st.floats(0, 1))
def test_returns_are_the_sum_of_the_definition(rewards: list[float], gamma: float) -> None:
    returns = discounted_returns(rewards, gamma)
    for t, value in enumerate(returns):
        direct = sum(gamma ** (k - t) * rewards[k] for k in range(t, len(rewards)))
        assert value == pytest.approx(direct, abs=1e-9)


def test_rebn_by_hand() -> None:
    # mean 3, population variance ((-2)^2 + 0 + 2^2) / 3 = 8/3
    result = rebn(np.array([1.0, 3.0, 5.0]))
    spread = np.sqrt(8 / 3)
    np.testing.assert_allclose(result.advantages, [-2 / spread, 0.0, 2 / spread], rtol=1e-8)
    assert (result.mean, result.degenerate) == (3.0, False)
    assert result.std == pytest.approx(spread)


def test_rebn_normalises_by_the_global_batch() -> None:
    everyone = np.array([0.0, 0.0, 1.0, 1.0])  # mean 0.5, std 0.5
    result = rebn(np.array([1.0, 0.0]), everyone)
    np.testing.assert_allclose(result.advantages, [1.0, -1.0], rtol=1e-8)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 1e6, 0.1 + 0.2])
def test_equal_returns_give_zero_advantages_and_say_so(value: float) -> None:
    result = rebn(np.full(7, value))
    assert result.degenerate
    assert not result.advantages.any()


def test_rounding_noise_around_a_large_mean_is_no_signal() -> None:
    """``E[x^2] - E[x]^2`` would make NaN or huge advantages of this."""
    returns = 1e8 + np.array([0.0, 1e-7, -1e-7])
    result = rebn(returns)
    assert result.degenerate
    assert np.isfinite(result.advantages).all()


def test_an_empty_batch_is_degenerate() -> None:
    assert rebn(np.array([])).degenerate
    assert reinforce(np.array([])).degenerate


@given(arrays(np.float64, st.integers(2, 50), elements=st.floats(-100, 100)))
def test_rebn_has_mean_zero_and_spread_one(returns: np.ndarray) -> None:
    result = rebn(returns)
    assert np.isfinite(result.advantages).all()
    if not result.degenerate:
        assert result.advantages.mean() == pytest.approx(0.0, abs=1e-6)
        assert result.advantages.std() == pytest.approx(1.0, abs=1e-3)


def test_reinforce_leaves_returns_alone() -> None:
    returns = np.array([0.3, -0.1])
    result = reinforce(returns)
    np.testing.assert_array_equal(result.advantages, returns)
    assert result.advantages is not returns
