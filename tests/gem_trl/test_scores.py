"""Scores: intervals against known numbers, and what a lost game counts for."""

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.solvers import solver_for
from gem_trl.scores import (
    Interval,
    Played,
    Score,
    mean_interval,
    play,
    score_of,
    share_interval,
)
from gem_trl.tiny import SloppyPlayer
from tests.helpers import boxed


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [
        (0, 10, 0.0, 0.2775328),
        (8, 10, 0.4901625, 0.9433178),
        (10, 10, 0.7224672, 1.0),
        (50, 100, 0.4038315, 0.5961685),
        (1, 1, 0.2065493, 1.0),
    ],
)
def test_wilsons_interval(successes: int, total: int, low: float, high: float) -> None:
    interval = share_interval(successes, total)
    assert interval.mean == successes / total
    assert interval == pytest.approx((successes / total, low, high), abs=1e-6)


@given(st.integers(1, 1_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_bounds_are_the_shares_that_the_sample_just_does_not_refute(
    counts: tuple[int, int],
) -> None:
    mean, low, high = share_interval(*counts)
    assert 0.0 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1.0
    for bound in (low, high):  # by definition |mean - p| = z sqrt(p (1 - p) / n)
        distance = 1.959964 * np.sqrt(bound * (1 - bound) / counts[1])
        assert abs(mean - bound) == pytest.approx(distance, abs=1e-6)


def test_the_interval_of_a_mean() -> None:
    # The sample standard deviation of 1, 2, 3, 4 is sqrt(5/3), so half is 1.96 sqrt(5/12).
    assert mean_interval([1, 2, 3, 4]) == pytest.approx((2.5, 1.2348497, 3.7651503))
    assert mean_interval([7.0, 7.0]) == (7.0, 7.0, 7.0)


def test_one_value_says_nothing_of_its_spread() -> None:
    assert mean_interval([3.0]) == (3.0, -np.inf, np.inf)


def test_a_lost_episode_counts_as_the_whole_turn_budget() -> None:
    games = [Played(1.0, 2, True), Played(-0.1, 1, False), Played(0.0, 10, False)]
    score = score_of(games, max_turns=10)
    assert score.turns.mean == pytest.approx((2 + 10 + 10) / 3)
    assert score.success == share_interval(1, 3)
    assert score.total_reward == mean_interval([1.0, -0.1, 0.0])


def of(*total_rewards: float) -> Score:
    return score_of([Played(r, 3, r > 0) for r in total_rewards], max_turns=3)


def test_the_normalized_score_is_0_for_random_and_1_for_the_solver() -> None:
    random, solver = of(0.1, 0.3), of(0.8, 1.0)
    assert random.normalized(random, solver).mean == pytest.approx(0.0)
    assert solver.normalized(random, solver).mean == pytest.approx(1.0)
    player = of(0.5, 0.6)
    mean, low, high = player.normalized(random, solver)
    assert mean == pytest.approx((0.55 - 0.2) / 0.7)
    assert low == pytest.approx((player.total_reward.low - 0.2) / 0.7)
    assert high == pytest.approx((player.total_reward.high - 0.2) / 0.7)


def test_where_random_play_always_wins_the_score_is_a_share_of_the_solvers_return() -> None:
    best = of(1.0, 1.0)
    assert of(0.5, 0.5).normalized(best, best) == Interval(0.5, 0.5, 0.5)
    assert of(0.5, 0.5).normalized(of(2.0, 2.0), best).mean == 0.5


def test_players_play_one_episode_a_seed() -> None:
    env = gym.make("gem/GuessTheNumber-hard-v0")
    solved = play(env, solver_for(env), [3, 4, 5])
    assert [game.success for game in solved] == [True] * 3
    assert [game.total_reward for game in solved] == [1.0] * 3
    seeds = range(20)
    turns = [game.turns for game in play(env, solver_for(env), seeds)]
    assert len(set(turns)) > 1
    assert [game.turns for game in play(env, solver_for(env), seeds[::-1])] == turns[::-1]
    lost = [game for game in play(env, random_player(env), range(20)) if not game.success]
    assert lost
    assert all(game == Played(0.0, 7, False) for game in lost)


def random_player(env: gym.Env[str, str]) -> SloppyPlayer:
    return SloppyPlayer(env, 0.0, np.random.default_rng(0))


def test_a_truncated_episode_is_over() -> None:
    env = gym.make("gem/GuessTheNumber-v0", max_episode_steps=2)

    class One(SloppyPlayer):
        def act(self, observation: str, info: object) -> str:
            return boxed(-1)

    (game,) = play(env, One(env, 0.0, np.random.default_rng(0)), [1])
    assert game == Played(0.0, 2, False)
