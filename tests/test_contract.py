"""What every registered id keeps: gymnasium's contract, our own, and sameness wherever it runs."""

import multiprocessing
import subprocess
import sys
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from time import thread_time
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

import gem_gymnasium
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.core.spaces import MAX_CHARS, UnicodeText
from gem_gymnasium.testing import HOSTILE_STRINGS, check_text_env
from tests.helpers import replies

IDS = gem_gymnasium.registry.ids("game")
SEEDS = range(8)
STEP_LIMIT_S = 0.05
RESET_LIMIT_S = 0.05
MAKE_LIMIT_S = 0.1

Run = list[Any]


def play(env: gym.Env[str, str], actions: Sequence[str], seed: int) -> Run:
    """Play these actions, with a reset where an episode ends; return all that came back."""
    calls: Run = [env.reset(seed=seed)]
    done = False
    for action in actions:
        call: Any = env.reset() if done else env.step(action)
        done = len(call) == 5 and (call[2] or call[3])
        calls.append(call)
    return calls


def play_alone(id: str, seed: int) -> Run:
    env = gym.make(f"gem_gymnasium:{id}")
    run = play(env, replies(id, seed, 12), seed)
    env.close()
    return run


def play_all(ids: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    """For another process."""
    return [play_alone(id, seed) for id in ids for seed in seeds]


@pytest.mark.parametrize("id", IDS)
def test_check_env_passes_with_warnings_as_errors(
    id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(id).unwrapped)
    capsys.readouterr()  # what render_mode="human" wrote


@pytest.mark.parametrize("id", IDS)
def test_the_conformance_suite_passes(id: str) -> None:
    check_text_env(lambda: gym.make(id))


@pytest.mark.parametrize("id", IDS)
def test_the_conformance_suite_passes_when_a_malformed_reply_costs_a_turn(id: str) -> None:
    check_text_env(lambda: gym.make(id, on_malformed="continue"), seeds=[7], skip=["gymnasium"])


@pytest.mark.parametrize("on_malformed", ["end", "continue"])
@pytest.mark.parametrize("id", IDS)
def test_no_hostile_reply_raises_or_takes_long(id: str, on_malformed: str) -> None:
    env = gym.make(id, on_malformed=on_malformed)
    env.reset(seed=3)
    done = False
    assert len(HOSTILE_STRINGS) >= 200
    for reply in HOSTILE_STRINGS:
        if done:
            env.reset()
        start = thread_time()
        observation, reward, terminated, truncated, info = env.step(reply)
        seconds = thread_time() - start
        if seconds > STEP_LIMIT_S:  # once more: another process may have held the machine
            env.reset(seed=3)
            start = thread_time()
            terminated = env.step(reply)[2]
            seconds = min(seconds, thread_time() - start)
        assert seconds <= STEP_LIMIT_S, f"{seconds:.3f} s for {reply[:40]!r}"
        assert observation in env.observation_space
        observation.encode("utf-8")
        if len(reply) > MAX_CHARS:
            assert (info["event"], reward) == ("malformed", -0.1)
        done = terminated or truncated
    env.close()


@pytest.mark.parametrize("id", IDS)
def test_spaces_are_the_one_size(id: str) -> None:
    env = gym.make(id)
    assert env.observation_space == env.action_space == UnicodeText()
    env.close()


@pytest.mark.parametrize("id", IDS)
def test_two_interleaved_envs_play_as_each_does_alone(id: str) -> None:
    envs = [gym.make(id), gym.make(id)]
    scripts = [replies(id, seed, 12) for seed in (0, 1)]
    runs: list[Run] = [[env.reset(seed=seed)] for seed, env in enumerate(envs)]
    for actions in zip(*scripts, strict=True):
        for env, run, action in zip(envs, runs, actions, strict=True):
            over = len(run[-1]) == 5 and (run[-1][2] or run[-1][3])
            run.append(env.reset() if over else env.step(action))
    for seed, run in enumerate(runs):
        assert data_equivalence(run, play_alone(id, seed), exact=True)


@pytest.mark.parametrize("id", IDS)
def test_eight_threads_play_as_each_does_alone(id: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda seed: play_alone(id, seed), SEEDS))
    assert data_equivalence(together, [play_alone(id, seed) for seed in SEEDS], exact=True)


def test_other_processes_play_as_this_one() -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        halves = pool.starmap(play_all, [(IDS, [0, 1]), (IDS, [2, 3])])
    assert data_equivalence(halves[0], play_all(IDS, [0, 1]), exact=True)
    assert data_equivalence(halves[1], play_all(IDS, [2, 3]), exact=True)


def test_every_id_can_be_made_in_a_fresh_interpreter_without_an_import() -> None:
    script = f"""
import gymnasium
for id in {IDS!r}:
    env = gymnasium.make(f"gem_gymnasium:{{id}}")
    observation, info = env.reset(seed=0)
    assert info["event"] == "reset", id
    assert env.step("?")[4]["event"] == "malformed", id
    env.close()
"""
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, timeout=120)


@pytest.mark.parametrize("id", IDS)
def test_p99_of_reset_is_at_most_50_ms(id: str) -> None:
    env = gym.make(id)
    env.reset(seed=0)
    times = []
    for _ in range(100):
        start = thread_time()
        env.reset()
        times.append(thread_time() - start)
    assert sorted(times)[98] <= RESET_LIMIT_S


@pytest.mark.parametrize("id", IDS)
def test_a_second_make_takes_at_most_100_ms(id: str) -> None:
    gym.make(id).reset(seed=0)  # data are loaded once
    times = []
    for _ in range(3):
        start = thread_time()
        gym.make(id).reset(seed=0)
        times.append(thread_time() - start)
    assert min(times) <= MAKE_LIMIT_S


@pytest.mark.parametrize("id", IDS)
def test_turns_run_out_by_the_rules_and_not_by_a_time_limit(id: str) -> None:
    env = gym.make(id, on_malformed="continue")
    assert env.spec is not None
    assert env.spec.max_episode_steps is None
    _, info = env.reset(seed=0)
    for turn in range(1, info["max_turns"] + 1):
        observation, reward, terminated, truncated, info = env.step("hm")
        assert (reward, truncated, info["turn"]) == (-0.1, False, turn)
        assert terminated == (turn == info["max_turns"])
    assert not info["success"]
    assert info["feedback"] in observation
    with pytest.raises(gym.error.ResetNeeded):
        env.step("hm")


@pytest.mark.parametrize("id", IDS)
def test_unknown_arguments_and_options_name_the_nearest(id: str) -> None:
    with pytest.raises(UnknownName, match="did you mean 'max_turns'"):
        gym.make(id, max_turn=3)
    with pytest.raises(ConfigError, match="on_malformed"):
        gym.make(id, on_malformed="explode")
    with pytest.raises(UnknownName, match="reset option"):
        gym.make(id).reset(options={"level": 3})
    with pytest.raises(ConfigError, match="render_mode"):
        gym.make(id).unwrapped.__class__(render_mode="hologram")


@pytest.mark.parametrize("id", IDS)
def test_the_class_docstring_has_every_heading(id: str) -> None:
    doc = type(gym.make(id).unwrapped).__doc__ or ""
    for heading in (
        "Action Space", "Observation Space", "Rewards", "Episode End", "Information",
        "Arguments", "References", "Version History",
    ):  # fmt: skip
        assert f"## {heading}\n" in doc, heading


def test_a_key_of_info_has_one_type_in_all_games() -> None:
    kinds: dict[str, type] = {}
    for id in IDS:
        env = gym.make(id).unwrapped
        for name, kind in env.extra_info.items():
            assert kinds.setdefault(name, kind) is kind, f"{name} has two types in the package"


def test_registering_again_changes_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # gymnasium warns when an id is overwritten
        gem_gymnasium.registry.register()
    assert len(set(IDS)) == len(IDS)
