from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import ClipReward, NormalizeReward, TimeLimit, TransformReward

import gem_gymnasium
from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.data import load_json
from gem_gymnasium.games.mastermind import MastermindEnv
from gem_gymnasium.registry import ids, ids_of_luck
from gem_gymnasium.solvers import solver_for
from gem_gymnasium.tools import PythonTool
from gem_gymnasium.wrappers import ToolUse
from gem_gymnasium.wrappers.normalize_score import NormalizeScore

ID = "gem/Mastermind-hard-v0"
GAMES = load_json("calibration.json")["games"]


def scale(id: str) -> tuple[float, float]:
    return GAMES[id]["random"]["return"], GAMES[id]["solver"]["return"]


def test_rewards_are_left_alone_and_the_return_is_placed_on_the_scale() -> None:
    plain, env = gym.make(ID), NormalizeScore(gym.make(ID))
    random, solver = scale(ID)
    plain.reset(seed=1)
    _, info = env.reset(seed=1)
    assert info["normalized_score"] == pytest.approx(-random / (solver - random))
    total, rng = 0.0, np.random.default_rng(0)
    for _ in range(10):
        action = plain.unwrapped.sample_legal_action(rng)
        observation, reward, *flags, expected = plain.step(action)
        total += reward
        assert env.step(action) == (
            observation,
            reward,
            *flags,
            {**expected, "normalized_score": pytest.approx((total - random) / (solver - random))},
        )
    assert total > 0


@pytest.mark.parametrize("id", ids("game"))
def test_the_solver_scores_its_return_on_the_scale(id: str) -> None:
    env = NormalizeScore(gym.make(id))
    observation, info = env.reset(seed=0)
    assert type(info["normalized_score"]) is float
    solver, done = solver_for(env), False
    solver.reset(observation, {})
    total = 0.0
    while not done:
        observation, reward, done, _, info = env.step(solver.act(observation, {}))
        total += float(reward)
    assert type(info["normalized_score"]) is float
    game = load_json("calibration.json")["games"][id]
    zero, one = (game[player]["return"] for player in ("random", "solver"))
    zero = zero if zero < one else 0.0
    assert info["normalized_score"] == pytest.approx((total - zero) / (one - zero))
    if id not in ids_of_luck():  # there the solver never loses
        assert info["normalized_score"] == pytest.approx(1.0)


def test_random_legal_play_scores_0_on_average() -> None:
    id = "gem/GuessTheNumber-hard-v0"
    env, rng, scores = NormalizeScore(gym.make(id)), np.random.default_rng(0), list[float]()
    for seed in range(300):
        _, info = env.reset(seed=seed)
        done = False
        while not done:
            _, _, done, _, info = env.step(env.unwrapped.sample_legal_action(rng))
        scores.append(info["normalized_score"])
    assert np.mean(scores) == pytest.approx(0.0, abs=4 * np.std(scores) / np.sqrt(300))


def test_a_second_episode_starts_from_a_return_of_0() -> None:
    env = NormalizeScore(gym.make(ID))
    _, first = env.reset(seed=1)
    env.step("no idea")
    assert env.reset(seed=1)[1] == first


def test_where_random_moves_always_win_the_score_is_the_share_of_the_solvers_return() -> None:
    assert scale("gem/GuessTheNumber-v0") == (1.0, 1.0)
    env = NormalizeScore(gym.make("gem/GuessTheNumber-v0"))
    assert env.reset(seed=0)[1]["normalized_score"] == 0.0
    assert env.step("no idea")[4]["normalized_score"] == pytest.approx(-0.1)


def test_arguments_that_change_no_return_are_taken() -> None:
    NormalizeScore(gym.make(ID, on_malformed="continue", render_mode="ansi"))
    NormalizeScore(TimeLimit(gym.make(ID), 3))


def test_other_rules_are_refused_with_the_command_to_run() -> None:
    with pytest.raises(ConfigError, match=r"not with .*'max_turns': 9.*calibrate\.py"):
        NormalizeScore(gym.make(ID, max_turns=9))


def test_an_id_that_was_not_calibrated_is_refused_with_the_command_to_run() -> None:
    with pytest.raises(ConfigError, match=r"CartPole-v1 was not.*calibrate\.py --ids CartPole-v1"):
        NormalizeScore(gym.make("CartPole-v1"))


def test_an_env_without_id_is_refused() -> None:
    with pytest.raises(ConfigError, match="has no id"):
        NormalizeScore(MastermindEnv())


def test_the_spec_makes_the_wrapper_again() -> None:
    env = NormalizeScore(gym.make(ID))
    assert env.spec is not None
    again = gym.make(env.spec)
    assert isinstance(again, NormalizeScore)
    assert again.reset(seed=5) == env.reset(seed=5)


def test_snapshot_and_branch_keep_the_return() -> None:
    env = NormalizeScore(gym.make(ID))
    env.reset(seed=2)
    rng = np.random.default_rng(0)
    while env.step(env.unwrapped.sample_legal_action(rng))[1] == 0:
        pass
    data = gem_gymnasium.snapshot(env)
    other = NormalizeScore(gym.make(ID))
    gem_gymnasium.restore(other, data)
    assert env.step("no idea") == other.step("no idea")


@pytest.mark.parametrize(
    ("wrap", "name"),
    [
        (lambda env: TransformReward(env, lambda reward: 2 * reward), "TransformReward"),
        (lambda env: TimeLimit(ClipReward(env, 0.0, 1.0), 5), "ClipReward"),
        (NormalizeReward, "NormalizeReward"),
        (lambda env: ToolUse(env, PythonTool(), call_reward=0.1), "ToolUse"),
        (lambda env: ToolUse(env, PythonTool(), error_reward=-0.1), "ToolUse"),
    ],
)
def test_a_scale_of_rewards_that_a_wrapper_changes_is_refused(wrap: Any, name: str) -> None:
    with pytest.raises(ConfigError, match=rf"{name} below it .*{name}\(NormalizeScore\(env\)"):
        NormalizeScore(wrap(gym.make(ID)))


def test_tools_that_pay_nothing_may_be_below() -> None:
    env = NormalizeScore(ToolUse(gym.make(ID), PythonTool()))
    assert "normalized_score" in env.reset(seed=0)[1]
