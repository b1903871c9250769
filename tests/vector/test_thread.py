"""ThreadVectorEnv: equal to SyncVectorEnv, its resets and their masks."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from gem_gymnasium.core.errors import (
    ConfigError,
    StepOutsideEpisode,
)
from gem_gymnasium.vector import ThreadVectorEnv
from gem_gymnasium.wrappers import History
from tests.helpers import boxed, replies
from tests.vector.crew import IDS, MIXED, MODES, Crew, made, same

# -- equal to SyncVectorEnv -------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_every_call_equals_sync_byte_for_byte(mode: AutoresetMode) -> None:
    env_fns = made(*MIXED, "gem/Mastermind-v0")
    sync = SyncVectorEnv(env_fns, autoreset_mode=mode)
    thread = ThreadVectorEnv(env_fns, autoreset_mode=mode)
    ids = [*MIXED, "gem/Mastermind-v0"]
    assert same(sync.reset(seed=7), thread.reset(seed=7))
    table = [replies(id, seed, 40) for seed, id in enumerate(ids)]
    ends = 0
    for turn in range(40):
        actions = tuple(table[i][turn] for i in range(len(ids)))
        one, other = sync.step(actions), thread.step(actions)
        assert same(one, other)
        done = one[2] | one[3]
        ends += done.sum()
        if mode is AutoresetMode.DISABLED and done.any():
            one = sync.reset(options={"reset_mask": done.copy()})
            assert same(one, thread.reset(options={"reset_mask": done.copy()}))
    assert ends > 5
    assert same(sync.reset(seed=[1, None, 3, 4, 5]), thread.reset(seed=[1, None, 3, 4, 5]))
    assert sync.np_random_seed == thread.np_random_seed
    sync.close()
    thread.close()


@pytest.mark.parametrize("id", IDS)
def test_episodes_of_every_id_equal_sync(id: str) -> None:
    env_fns = made(*[id] * 4)
    sync, thread = SyncVectorEnv(env_fns), ThreadVectorEnv(env_fns)
    assert same(sync.reset(seed=3), thread.reset(seed=3))
    for action in replies(id, 3, 8):
        assert same(sync.step([action] * 4), thread.step([action] * 4))
    sync.close()
    thread.close()


def test_messages_of_history_arrive_whole() -> None:
    env_fns = [lambda: History(gym.make("gem/GuessTheNumber-v0"), "messages")] * 3
    sync, thread = SyncVectorEnv(env_fns), ThreadVectorEnv(env_fns)
    sync.reset(seed=1), thread.reset(seed=1)
    actions = [boxed(3), boxed(9), "no"]
    one, other = sync.step(actions), thread.step(actions)
    assert same(one, other)
    assert [m["role"] for m in other[4]["messages"][0]] == ["user", "assistant", "user"]
    sync.close()
    thread.close()


def test_numeric_envs_work_too() -> None:
    env_fns = [lambda: gym.make("CartPole-v1")] * 3
    sync, thread = SyncVectorEnv(env_fns), ThreadVectorEnv(env_fns)
    assert same(sync.reset(seed=1), thread.reset(seed=1))
    for _ in range(30):
        actions = np.array([0, 1, 0])
        assert same(sync.step(actions), thread.step(actions))
    thread.reset()
    thread.send([0, 1], [2, 0])
    observations, rewards, _, _, infos = thread.recv(2)
    assert observations.shape == (2, 4)
    assert observations.dtype == np.float32
    assert rewards.tolist() == [1.0, 1.0]
    assert infos["env_id"].tolist() == [0, 2]
    sync.close()
    thread.close()


# -- resets -------------------------------------------------------------------------------------


def test_reset_mask_stays_in_the_callers_dict_and_resets_only_those() -> None:
    envs = ThreadVectorEnv(made(*MIXED), autoreset_mode=AutoresetMode.DISABLED)
    before, _ = envs.reset(seed=1)
    mask = np.array([True, False, False, True])
    options = {"reset_mask": mask}
    after, infos = envs.reset(seed=[5, 6, 7, 8], options=options)
    assert list(options) == ["reset_mask"]
    assert options["reset_mask"] is mask
    assert infos["_turn"].tolist() == mask.tolist()
    assert after[1:3] == before[1:3]
    envs.close()


def test_statistics_of_envs_outside_the_mask_are_kept() -> None:
    # SyncVectorEnv pops the mask before the wrapper sees it, which clears them all.
    envs = RecordEpisodeStatistics(ThreadVectorEnv(made(*["gem/Mastermind-v0"] * 2)))
    envs.reset(seed=1)
    for _ in range(2):
        envs.step([boxed("1 1 1 1")] * 2)
    envs.reset(options={"reset_mask": np.array([True, False])})
    assert envs.episode_lengths.tolist() == [0, 2]
    envs.close()


@pytest.mark.parametrize(
    "mask",
    [[True, False], np.array([True]), np.array([1, 0]), np.array([False, False])],
    ids=["list", "shape", "dtype", "none"],
)
def test_a_bad_reset_mask_is_refused(mask: Any, crew: Crew) -> None:
    envs = crew.vec(2)
    with pytest.raises(ConfigError, match="reset_mask"):
        envs.reset(options={"reset_mask": mask})
    envs.close()


def test_other_options_reach_every_env(crew: Crew) -> None:
    envs = crew.vec(2)
    envs.reset(options={"do": "note", "reset_mask": np.array([True, True])})
    assert [order for order, _ in crew.log] == ["note", "note"]
    envs.close()


def test_a_finished_env_raises_in_disabled_mode_before_any_env_steps(crew: Crew) -> None:
    envs = crew.vec(2, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=1)
    envs.step(["end", "go"])
    calls = len(crew.log)
    with pytest.raises(StepOutsideEpisode, match=r"envs \[0\] are over"):
        envs.step(["go", "go"])
    assert len(crew.log) == calls
    envs.reset(options={"reset_mask": np.array([True, False])})
    envs.step(["go", "go"])
    envs.close()
