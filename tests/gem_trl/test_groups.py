"""Estimators that compare whole episodes within groups of one seed."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.core.errors import ConfigError
from gem_trl.advantages import GROUPED, dr_grpo, grpo, rloo
from gem_trl.credit import by_group
from gem_trl.episode import Episode, Turn
from tests.gem_trl.conftest import ENV

TOTALS = np.array([1.0, 0.0, 0.0, 1.0, 0.5, 0.5])
"""A group of three of which one won, and one of returns 1, 0.5, 0.5."""

NAN = math.nan


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        # means 1/3 and 2/3; population deviations sqrt(2)/3 and sqrt(2)/6
        (grpo, [2**0.5, -(0.5**0.5), -(0.5**0.5), 2**0.5, -(0.5**0.5), -(0.5**0.5)]),
        (dr_grpo, [2 / 3, -1 / 3, -1 / 3, 1 / 3, -1 / 6, -1 / 6]),
        # less the mean of the other two
        (rloo, [1.0, -0.5, -0.5, 0.5, -0.25, -0.25]),
    ],
)
def test_advantages_by_hand(estimate: Any, expected: list[float]) -> None:
    np.testing.assert_allclose(estimate(TOTALS, 3), expected, atol=1e-8)


@pytest.mark.parametrize("estimate", GROUPED.values(), ids=GROUPED)
@pytest.mark.parametrize(
    "totals", [[0.7, 0.7, 0.7], [NAN, NAN, NAN], [NAN, 5.0, NAN], [1e9, 1e9, 1e9 + 1e-7]]
)
def test_a_group_without_spread_has_no_signal(estimate: Any, totals: list[float]) -> None:
    np.testing.assert_allclose(estimate(np.array(totals), 3), np.zeros(3), atol=1e-6)


@pytest.mark.parametrize("estimate", GROUPED.values(), ids=GROUPED)
def test_an_invalid_episode_counts_nowhere(estimate: Any) -> None:
    with_it = estimate(np.array([1.0, NAN, 0.0, 0.5]), 4)
    without = estimate(np.array([1.0, 0.0, 0.5]), 3)
    assert with_it[1] == 0.0
    np.testing.assert_allclose(with_it[[0, 2, 3]], without)


@given(st.lists(st.floats(-2, 2), min_size=4, max_size=4), st.floats(-1, 1), st.floats(0.1, 9))
def test_a_shift_changes_nothing_and_grpo_knows_no_scale(
    totals: list[float], shift: float, scale: float
) -> None:
    array = np.array(totals)
    for estimate in GROUPED.values():
        shifted, plain = estimate(array + shift, 4), estimate(array, 4)
        assert abs(plain.sum()) < 1e-6
        if array.std() > 1e-3:
            np.testing.assert_allclose(shifted, plain, atol=1e-5)
    if array.std() > 1e-3:
        np.testing.assert_allclose(grpo(array * scale, 4), grpo(array, 4), atol=1e-5)


def episode(*rewards: float, **options: Any) -> Episode:
    turns = tuple(
        Turn(prompt_ids=(1,), reply_ids=(2,), reward=reward, trains=reward != 0.25)
        for reward in rewards
    )
    return Episode(env_id=ENV, seed=0, turns=turns, terminated=True, truncated=False, **options)


def test_every_turn_has_its_episodes_advantage() -> None:
    played = [episode(0.0, 0.0, 1.0), episode(0.0), episode(9.0, valid=False), episode(0.25, 0.75)]
    rows, metrics = by_group(played, "dr_grpo", 2)
    # The second group has one valid episode, so no signal; 0.25 marks a masked turn.
    assert [row.advantage for row in rows] == [0.5, 0.5, 0.5, -0.5, 0.0, 0.0, 0.0]
    assert [row.trains for row in rows] == [True] * 4 + [False, False, True]
    assert metrics["returns/mean"] == pytest.approx(2 / 3)
    assert (metrics["returns/degenerate"], metrics["rollout/dead_groups"]) == (0.0, 0.5)


@pytest.mark.parametrize("estimator", GROUPED)
def test_a_group_shares_its_seed_and_no_other_does(build_trainer: Any, estimator: str) -> None:
    trainer = build_trainer(
        env=[ENV, "gem/GuessTheNumber-v0"], num_envs=6, advantage_estimator=estimator, gamma=1.0,
        group_size=3, episodes_per_rollout=12,
    )  # fmt: skip
    rollouts = [trainer._experience.collect_episodes()]
    trainer._experience.rollouts += 1
    rollouts.append(trainer._experience.collect_episodes())
    seeds: list[int] = []
    for played in rollouts:
        for first in range(0, 12, 3):
            group = played[first : first + 3]
            assert len({(e.seed, e.env_id) for e in group}) == 1
            seeds.append(group[0].seed)
        assert {e.env_id for e in played} == {ENV, "gem/GuessTheNumber-v0"}
    assert len(set(seeds)) == 8


@pytest.mark.parametrize("estimator", GROUPED)
def test_training_changes_the_model_and_counts_dead_groups(
    build_trainer: Any, estimator: str
) -> None:
    trainer = build_trainer(
        advantage_estimator=estimator, gamma=1.0, group_size=4, episodes_per_rollout=16,
        num_rollouts=2, learning_rate=1e-3,
    )  # fmt: skip
    before = [parameter.detach().clone() for parameter in trainer.model.parameters()]
    trainer.train()
    after = trainer.model.parameters()
    assert any(not torch.equal(a, b) for a, b in zip(before, after, strict=True))
    logs = [entry for entry in trainer.state.log_history if "episode/return" in entry]
    assert len(logs) == 2
    for entry in logs:
        assert entry["rollout/dead_groups"] in (0.0, 0.25, 0.5, 0.75, 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gamma": 0.9}, "set gamma=1.0, got 0.9"),
        ({"gamma": 1.0, "group_size": 1}, "group_size must be at least 2"),
        ({"gamma": 1.0, "group_size": 3}, "must divide episodes_per_rollout, got 3 and 8"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    config: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        config(advantage_estimator="grpo", episodes_per_rollout=8, **options)
