from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.data import load_json
from gem_gymnasium.registry import ids, ids_of_luck
from gem_gymnasium.solvers import solver_for
from gem_gymnasium.solvers.mastermind import MastermindSolver
from gem_gymnasium.solvers.sudoku import SudokuSolver
from gem_gymnasium.wrappers.history import History

IDS = ids("game")
SURE_IDS = [id for id in IDS if id not in ids_of_luck()]
LUCKY_IDS = [id for id in IDS if id in ids_of_luck()]


def few(id: str, seeds: int) -> range:
    """Return that many seeds, or a fifth of them for a game of many turns."""
    env: Any = gym.make(id).unwrapped
    return range(seeds if env.config.max_turns < 500 else -(-seeds // 5))


def play(env: gym.Env[str, str], seed: int, most: int = 10_000) -> tuple[float, dict[str, Any]]:
    """Play an episode, or its first turns, by the solver; return its return and last info.

    The solver sees no info.
    """
    observation, info = env.reset(seed=seed)
    solver = solver_for(env)
    solver.reset(observation, {})
    total, done = 0.0, False
    while not done and info["turn"] < most:
        observation, reward, terminated, truncated, info = env.step(solver.act(observation, {}))
        total += float(reward)
        done = terminated or truncated
    return total, info


def assert_wins(env: gym.Env[str, str], seed: int) -> None:
    total, info = play(env, seed)
    assert info["success"], f"lost seed {seed}"
    assert total == 1.0
    if info["optimal_turns"] >= 0:
        assert info["turn"] <= info["optimal_turns"]


@pytest.mark.parametrize("id", SURE_IDS)
def test_the_solver_wins_from_the_text_alone(id: str) -> None:
    env = gym.make(id)
    for seed in range(20):
        assert_wins(env, seed)


@pytest.mark.parametrize("id", LUCKY_IDS)
def test_the_solver_wins_as_often_as_the_calibration_says(id: str) -> None:
    env, seeds = gym.make(id), few(id, 20)
    wins = sum(play(env, seed)[1]["success"] for seed in seeds)
    rate = load_json("calibration.json")["games"][id]["solver"]["success"]
    assert abs(wins / len(seeds) - rate) <= 4 * (rate * (1 - rate) / len(seeds)) ** 0.5 + 1e-9


@pytest.mark.parametrize(
    "id",
    [pytest.param(id, marks=pytest.mark.slow(22 if "Sokoban-random" in id else 2))
     for id in SURE_IDS],
)  # fmt: skip
def test_the_solver_wins_500_seeds(id: str) -> None:
    env = gym.make(id)
    for seed in range(500):
        assert_wins(env, seed)


@pytest.mark.parametrize("layout", ["text", "messages"])
@pytest.mark.parametrize("id", IDS)
def test_the_solver_plays_as_well_when_the_text_holds_the_whole_episode(
    id: str, layout: Any
) -> None:
    alone, whole = gym.make(id), History(gym.make(id), layout)
    for seed in few(id, 4):
        (total, info), (expected, plain) = play(whole, seed, 300), play(alone, seed, 300)
        assert (total, info["success"], info["turn"]) == (expected, plain["success"], plain["turn"])


@pytest.mark.parametrize("id", IDS)
def test_the_solver_acts_the_same_on_the_same_text(id: str) -> None:
    env = gym.make(id)
    observation, info = env.reset(seed=3)
    one, other = solver_for(env), solver_for(id)
    one.reset(observation, info)
    other.reset(observation, info)
    for _ in range(2):
        action = one.act(observation, info)
        assert one.act(observation, info) == other.act(observation, info) == action
        observation, _, done, _, info = env.step(action)
        if done:
            break


@pytest.mark.parametrize("id", IDS)
def test_consistent_moves_win_in_the_end(id: str) -> None:
    env = gym.make(id)
    if "random" not in id:
        base: Any = env.unwrapped
        env = gym.make(id, max_turns=max(200, base.config.max_turns))
    for seed in few(id, 5):
        rng = np.random.default_rng(seed)
        observation, info = env.reset(seed=seed)
        solver = solver_for(id)
        solver.reset(observation, {})
        done = False
        while not done:
            action = solver.consistent_move(rng)
            observation, _, done, _, info = env.step(action)
            assert info["legal"], (action, info["feedback"])
            solver.observe(observation, {})
        assert info["success"] or "random" in id or id in LUCKY_IDS


def test_consistent_moves_are_drawn_from_all_that_is_left() -> None:
    rng = np.random.default_rng(0)
    env = gym.make("gem/Mastermind-easy-v0")
    observation, info = env.reset(seed=0)
    solver = solver_for(env)
    solver.reset(observation, info)
    assert len({solver.consistent_move(rng) for _ in range(500)}) == 30
    env.unwrapped._state = env.unwrapped._state._replace(code=(1, 2))
    solver.observe(env.step(r"\boxed{1 3}")[0], {})  # 1 black, 0 white
    moves = {solver.consistent_move(rng) for _ in range(200)}
    expected = {f"\\boxed{{1 {d}}}" for d in (2, 4, 5, 6)}
    assert moves == expected | {f"\\boxed{{{d} 3}}" for d in (2, 4, 5, 6)}


def test_sudoku_fills_in_reading_order() -> None:
    solver = SudokuSolver()
    text = "   1 2 | 3 4\n1: . 4 | . .\n2: . 3 | 2 4\n3: . 1 | . .\n4: . . | . 1"
    solver.reset(text, {})
    assert solver.act(text, {}) == r"\boxed{1 1 2}"  # the first empty cell


def test_mastermind_with_repeated_digits_is_solved() -> None:
    env = gym.make("gem/Mastermind-v0", duplicates=True)
    for seed in range(5):
        assert_wins(env, seed)


def test_a_game_of_too_many_codes_is_refused() -> None:
    env = gym.make("gem/Mastermind-v0", length=9, digits=9, duplicates=True)
    with pytest.raises(ConfigError, match="at most 100000 codes"):
        MastermindSolver().reset(*env.reset(seed=0))


@pytest.mark.parametrize("id", ["gem/GuessTheNumber-v0", "gem/Mastermind-v0", "gem/Sudoku-v0"])
def test_a_text_of_another_game_is_refused(id: str) -> None:
    with pytest.raises(ConfigError, match="Chess"):
        solver_for(id).reset("Chess: mate the king.", {})


def test_solvers_are_found_by_id_module_and_id_and_env() -> None:
    assert isinstance(solver_for("gem/Sudoku-easy-v0"), SudokuSolver)
    assert isinstance(solver_for("gem_gymnasium:gem/Sudoku-v0"), SudokuSolver)
    assert isinstance(solver_for(History(gym.make("gem/Sudoku-v0"))), SudokuSolver)


def test_a_game_without_solver_is_named() -> None:
    with pytest.raises(UnknownName, match="unknown game of a solver 'CartPoleEnv'"):
        solver_for("CartPole-v1")
    with pytest.raises(UnknownName, match=r"'SinglePlayer'; of a game of several players, take"):
        solver_for(gym.make("gem/Nim-vs-random-v0"))
