"""Credit: which return, advantage and value target each turn gets, and what counts nowhere."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_trl.credit import (
    Values,
    bootstraps,
    by_gae,
    by_group,
    by_turn,
    explained_variance,
    subsample,
)
from gem_trl.episode import Episode, Turn
from gem_trl.returns import discounted_returns, gae

rewards_of_an_episode = st.lists(st.floats(-2, 2), min_size=1, max_size=6)


def turn(reward: float, **options: Any) -> Turn:
    return Turn(**{"prompt_ids": (1,), "reply_ids": (2,), "reward": reward, **options})


def episode(*turns: Turn, env_id: str = "test/A-v0", **options: Any) -> Episode:
    ends = options.pop("terminated", True)
    return Episode(
        env_id=env_id, seed=0, turns=turns, terminated=ends, truncated=not ends, **options
    )


def test_invalid_and_masked_turns_count_nowhere() -> None:
    played = [
        episode(turn(0.0), turn(1.0)),
        episode(turn(100.0), valid=False),
        episode(turn(-50.0, trains=False)),
        episode(turn(3.0)),
    ]
    rows, metrics = by_turn(played, "rebn", 0.5)
    assert metrics["returns/mean"] == pytest.approx((0.5 + 1.0 + 3.0) / 3)
    assert [row.trains for row in rows] == [True, True, False, False, True]
    assert [row.advantage for row in rows if not row.trains] == [0.0, 0.0]


def test_rebn_over_the_batch_and_over_each_env() -> None:
    played = [
        episode(turn(0.0), env_id="test/A-v0"),
        episode(turn(10.0), env_id="test/B-v0"),
        episode(turn(1.0), env_id="test/A-v0"),
        episode(turn(30.0), env_id="test/B-v0"),
        episode(turn(7.0), env_id="test/C-v0"),  # alone: no spread, no signal
    ]
    together = np.array([row.advantage for row in by_turn(played, "rebn", 1.0).rows])
    values = np.array([0.0, 10.0, 1.0, 30.0, 7.0])
    np.testing.assert_allclose(together, (values - 9.6) / values.std())
    rows, metrics = by_turn(played, "rebn", 1.0, scope="env")
    np.testing.assert_allclose([row.advantage for row in rows], [-1, -1, 1, 1, 0], atol=1e-6)
    assert metrics["returns/degenerate"] == pytest.approx(1 / 3)
    assert metrics["returns/mean"] == pytest.approx(9.6)


def test_statistics_per_env_are_those_of_all_processes() -> None:
    played = [episode(turn(0.0)), episode(turn(1.0), env_id="test/B-v0")]
    elsewhere = [(("test/A-v0", 0), 2.0), (("test/B-v0", 0), 5.0), (("test/C-v0", 0), 5.0)]
    credit = by_turn(played, "rebn", 1.0, scope="env", gather=lambda mine: mine + elsewhere)
    np.testing.assert_allclose([row.advantage for row in credit.rows], [-1.0, -1.0], atol=1e-6)


# -- GAE ----------------------------------------------------------------------------------------


@given(
    rewards_of_an_episode,
    st.lists(st.floats(-2, 2), min_size=7, max_size=7),
    st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    st.sampled_from([0.0, 0.3, 0.95, 1.0]),
    st.booleans(),
)
def test_gae_is_the_weighted_mean_of_n_step_advantages(
    rewards: list[float], values: list[float], gamma: float, lam: float, terminated: bool
) -> None:
    # From the definition: (1 - lam) * sum of lam^(n-1) * (n-step advantage), the rest of the
    # weight on the longest one, which ends with the episode.
    count = len(rewards)
    final = 0.0 if terminated else values[count]
    following = [*values[:count], final]
    expected: list[float] = []
    for t in range(count):
        steps = [
            sum(gamma**k * rewards[t + k] for k in range(n))
            + gamma**n * following[t + n]
            - values[t]
            for n in range(1, count - t + 1)
        ]
        weights = [(1 - lam) * lam ** (n - 1) for n in range(1, len(steps))]
        weights.append(lam ** (len(steps) - 1))
        expected.append(sum(w * a for w, a in zip(weights, steps, strict=True)))
    np.testing.assert_allclose(gae(rewards, values[:count], final, gamma, lam), expected, atol=1e-9)


@given(rewards_of_an_episode, st.floats(0, 1))
def test_gae_without_critic_and_lambda_1_is_the_return(rewards: list[float], gamma: float) -> None:
    advantages = gae(rewards, [0.0] * len(rewards), 0.0, gamma, 1.0)
    np.testing.assert_allclose(advantages, discounted_returns(rewards, gamma), atol=1e-12)


def test_advantages_targets_and_explained_variance_by_hand() -> None:
    played = [
        episode(turn(0.0), turn(1.0)),
        episode(turn(2.0), terminated=False, final_prompt_ids=(5,)),
    ]
    values = [Values((0.5, 0.25), 0.0), Values((1.0,), 4.0)]
    rows, metrics = by_gae(played, values, gamma=0.5, lam=0.5)
    # deltas: 0 + 0.5 * 0.25 - 0.5 = -0.375;  1 + 0 - 0.25 = 0.75;  2 + 0.5 * 4 - 1 = 3
    raw = np.array([-0.375 + 0.25 * 0.75, 0.75, 3.0])
    np.testing.assert_allclose(
        [row.advantage for row in rows], (raw - raw.mean()) / raw.std(), atol=1e-6
    )
    assert [row.value for row in rows] == [0.5, 0.25, 1.0]
    targets = np.array([row.value_target for row in rows], np.float64)
    np.testing.assert_allclose(targets, raw + np.array([0.5, 0.25, 1.0]))
    returns, said = np.array([0.5, 1.0, 4.0]), np.array([0.5, 0.25, 1.0])
    assert metrics["explained_variance"] == pytest.approx(
        1 - (returns - said).var() / returns.var()
    )
    assert metrics["returns/mean"] == pytest.approx(returns.mean())
    assert metrics["values/mean"] == pytest.approx(said.mean())


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"terminated": True}, False),
        ({"terminated": False}, True),
        ({"terminated": False, "stop": "timeout"}, True),
        ({"terminated": False, "stop": "context"}, False),
        ({"terminated": False, "valid": False}, False),
        ({"terminated": False, "final_prompt_ids": ()}, False),
    ],
)
def test_what_bootstraps(options: dict[str, Any], expected: bool) -> None:
    assert bootstraps(episode(turn(0.0), **{"final_prompt_ids": (3,), **options})) is expected


def learned_values(played: Sequence[Episode], gamma: float) -> dict[tuple[int, ...], float]:
    """Fit a table of values, one entry a prompt, to its own lambda-returns until it rests."""
    table: dict[tuple[int, ...], float] = {}
    for _ in range(300):
        values = [
            Values(
                tuple(table.get(turn.prompt_ids, 0.0) for turn in episode.turns),
                table.get(episode.final_prompt_ids, 0.0) if bootstraps(episode) else 0.0,
            )
            for episode in played
        ]
        targets: dict[tuple[int, ...], list[float]] = {}
        for row in by_gae(played, values, gamma, 0.9).rows:
            targets.setdefault(row.prompt_ids, []).append(row.value_target or 0.0)
        table = {prompt: float(np.mean(some)) for prompt, some in targets.items()}
    return table


def test_a_tabular_critic_bootstraps_through_truncation_and_not_through_termination() -> None:
    # Each turn pays 1 and leads from state s to s + 1. Cut off by a clock in state 0 for ever:
    # 1 + gamma + gamma^2 + ... = 10. Ended by the rules after 3 turns: 1 + gamma + gamma^2.
    gamma = 0.9
    endless = episode(
        *(turn(1.0, prompt_ids=(7,)) for _ in range(4)), terminated=False, final_prompt_ids=(7,)
    )
    assert learned_values([endless], gamma)[(7,)] == pytest.approx(10.0, rel=1e-6)
    ended = episode(*(turn(1.0, prompt_ids=(s,)) for s in range(3)), final_prompt_ids=(3,))
    table = learned_values([ended], gamma)
    for state, left in ((0, 3), (1, 2), (2, 1)):
        assert table[(state,)] == pytest.approx((1 - gamma**left) / (1 - gamma))
    # A context overflow is the end as well: there is no state to go on from.
    overflown = episode(turn(1.0, prompt_ids=(7,)), terminated=False, stop="context")
    assert learned_values([overflown], gamma)[(7,)] == pytest.approx(1.0)


def test_explained_variance() -> None:
    returns = np.array([1.0, 2.0, 4.0])
    assert explained_variance(returns, returns + 3.0) == pytest.approx(1.0)
    assert explained_variance(returns, np.zeros(3)) == pytest.approx(0.0)
    assert explained_variance(returns, -returns) == pytest.approx(-3.0)
    assert explained_variance(np.ones(3), returns) == 0.0
    assert explained_variance(np.array([0.1, 0.1, 0.1 + 1e-12]), returns) == 0.0
    assert explained_variance(np.array([]), np.array([])) == 0.0


# -- subsampling --------------------------------------------------------------------------------


@given(st.lists(rewards_of_an_episode, max_size=5), st.integers(0, 12), st.integers(0, 9))
def test_a_subsample_keeps_so_many_turns_and_every_return(
    rewards: list[list[float]], count: int, seed: int
) -> None:
    played = [episode(*map(turn, some), valid=i != 1) for i, some in enumerate(rewards)]
    kept = subsample(played, count, np.random.default_rng(seed))
    before = by_turn(played, "reinforce", 0.9).rows
    after = by_turn(kept, "reinforce", 0.9).rows
    assert sum(row.trains for row in after) == min(count, sum(row.trains for row in before))
    for old, new in zip(before, after, strict=True):
        if new.trains:
            assert (old.trains, old.advantage) == (True, new.advantage)


def test_every_turn_is_as_likely_to_be_kept() -> None:
    played = [episode(turn(0.0)), episode(*(turn(0.0) for _ in range(4)))]
    counts = np.zeros(5)
    for seed in range(2_000):
        kept = subsample(played, 2, np.random.default_rng(seed))
        counts += [float(t.trains) for e in kept for t in e.turns]
    np.testing.assert_allclose(counts / 2_000, 0.4, atol=0.05)  # 4.5 standard deviations


def test_groups_credit_whole_episodes() -> None:
    played = [episode(turn(0.0), turn(1.0)), episode(turn(0.0))]
    assert [row.advantage for row in by_group(played, "dr_grpo", 2).rows] == [0.5, 0.5, -0.5]
