"""Mixtures: weights, shares, and the episodes and metrics of each kind of env."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_trl.mixture import apportion, draw_kinds, parse
from tests.gem_trl.conftest import ENV

OTHER = "gem/GuessTheNumber-v0"
some_weights = st.lists(st.floats(0.01, 10), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (["a/B-v0", "a/C-v0"], (["a/B-v0", "a/C-v0"], [1.0, 1.0])),
        ([("a/B-v0", 2), ("a/C-v0", 0.5)], (["a/B-v0", "a/C-v0"], [2.0, 0.5])),
        ([["a/B-v0", 2]], (["a/B-v0"], [2.0])),  # as YAML and JSON have it
    ],
)
def test_parse(source: Any, expected: Any) -> None:
    assert parse(source) == expected


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([], "an empty list"),
        ([("a/B-v0", 0.0)], "must be above 0, got 0.0"),
        ([("a/B-v0", float("inf"))], "must be above 0, got inf"),
        ([("a/B-v0", float("nan"))], "must be above 0, got nan"),
        ([("a/B-v0", "much")], "pairs of id and weight"),
        ([("a/B-v0", 1.0, 2.0)], "pairs of id and weight"),
        ([3], "pairs of id and weight; got 3"),
        (["a/B-v0", ("a/B-v0", 2.0)], "lists a/B-v0 twice"),
    ],
)
def test_what_parse_refuses(source: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse(source)


@given(some_weights, st.integers(0, 40))
def test_shares_are_proportional_and_never_empty(weights: list[float], more: int) -> None:
    total = len(weights) + more
    shares = apportion(total, weights)
    assert sum(shares) == total
    exact = np.array(weights) / sum(weights) * more + 1
    assert all(share >= 1 and abs(share - e) < 1 for share, e in zip(shares, exact, strict=True))


def test_more_kinds_than_envs_are_refused() -> None:
    with pytest.raises(ConfigError, match="3 kinds of env need at least as many envs, got 2"):
        apportion(2, [1.0, 1.0, 1.0])


@given(some_weights, st.integers(0, 60), st.integers(0, 99))
def test_kinds_keep_to_the_weights(weights: list[float], count: int, seed: int) -> None:
    kinds = draw_kinds(count, weights, np.random.default_rng(seed))
    numbers = np.bincount(np.array(kinds, np.int64), minlength=len(weights))
    exact = np.array(weights) / sum(weights) * count
    assert len(kinds) == count
    assert (np.abs(numbers - exact) < 1 + 1e-9).all()


def test_kinds_are_unbiased_where_shares_are_below_one() -> None:
    numbers = [
        draw_kinds(4, [7.0, 1.0], np.random.default_rng(seed)).count(1) for seed in range(2_000)
    ]
    assert np.mean(numbers) == pytest.approx(0.5, abs=0.05)  # 4.5 standard deviations


def test_a_mixture_plays_its_weights_and_reports_each_env(build_trainer: Any) -> None:
    trainer = build_trainer(
        env=[(ENV, 3.0), (OTHER, 1.0)], num_envs=6, episodes_per_rollout=8, num_rollouts=3,
        rebn_scope="env",
    )  # fmt: skip
    trainer.train()
    logs = [entry for entry in trainer.state.log_history if "episode/return" in entry]
    assert len(logs) == 3
    for entry in logs:
        played = {id: entry[f"env/{id}/episodes"] for id in (ENV, OTHER)}
        assert played == {ENV: 6.0, OTHER: 2.0}
        turns = {id: entry[f"env/{id}/transitions"] for id in played}
        assert sum(turns.values()) == entry["rollout/transitions"]
        weighted = sum(played[id] * entry[f"env/{id}/return"] for id in played) / 8
        assert entry["episode/return"] == pytest.approx(weighted)
    metrics = trainer.evaluate()
    assert metrics[f"eval_env/{ENV}/episodes"] == 3.0  # of 5, in turn
    assert f"eval_env/{OTHER}/success" in metrics


def test_a_subsample_of_transitions_has_exactly_the_size_asked_for(build_trainer: Any) -> None:
    trainer = build_trainer(
        episodes_per_rollout=4, num_rollouts=2, num_mini_batches=2,
        transition_sampling="subsample", transitions_per_rollout=19,
    )  # fmt: skip
    sizes: list[int] = []
    played: list[int] = []
    following, collect = trainer._experience.next_mini_batch, trainer._experience.collect_episodes
    seeds: list[int] = []

    def next_mini_batch() -> Any:
        rows = following()
        sizes.append(len(rows))
        return rows

    def collect_episodes() -> Any:
        episodes = collect()
        played.append(len(episodes))
        seeds.extend(e.seed for e in episodes)
        return episodes

    trainer._experience.next_mini_batch = next_mini_batch
    trainer._experience.collect_episodes = collect_episodes
    trainer.train()
    assert sizes == [10, 9, 10, 9]
    assert len(played) > 2  # four episodes of five turns at most are too few at times
    assert len(set(seeds)) == len(seeds)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"transition_sampling": "subsample"}, "go together, got 'subsample' and None"),
        ({"transitions_per_rollout": 5}, "go together, got 'all' and 5"),
        (
            {"transition_sampling": "subsample", "transitions_per_rollout": 0},
            "transitions_per_rollout must be at least 1",
        ),
        ({"transition_sampling": "some"}, "some"),
        ({"rebn_scope": "env", "advantage_estimator": "reinforce"}, "rebn_scope='env' is for"),
        ({"per_device_train_batch_size": 0}, "per_device_train_batch_size must be at least 1"),
        ({"gae_lambda": 1.5}, "gae_lambda must be at least 0 and at most 1, got 1.5"),
        ({"critic_learning_rate": 0.0}, "critic_learning_rate must be above 0"),
        ({"value_clip": 0.0}, "value_clip must be above 0"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    config: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        config(**options)


@pytest.mark.parametrize("strategy", ["steps", "no"])
@pytest.mark.parametrize(
    ("eval_env", "error", "message"),
    [
        ("my/Game-v0", UnknownName, "unknown env 'my/Game-v0'; `gem-gym list` shows every id"),
        ("gem/KunhPoker-v0", UnknownName, "did you mean 'gem/KuhnPoker-v0'"),
        ([ENV, OTHER], ConfigError, "2 kinds of env need at least as many envs, got 1"),
    ],
)
def test_a_wrong_eval_env_is_found_before_the_training(
    build_trainer: Any, eval_env: Any, error: Any, message: str, strategy: str
) -> None:
    with pytest.raises(error, match=message):
        build_trainer(
            eval_env=eval_env, eval_episodes=1, eval_strategy=strategy, eval_steps=50,
            num_rollouts=100,
        )  # fmt: skip
