"""make_vec: ids, modes, wrappers and options."""

from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import gem_gymnasium
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.vector import ThreadVectorEnv, make_vec
from gem_gymnasium.wrappers import History
from tests.helpers import boxed

GUESS = "gem/GuessTheNumber-v0"
PAIR = (GUESS, "gem/Mastermind-easy-v0")


@pytest.mark.parametrize(
    ("mode", "kind"),
    [("sync", SyncVectorEnv), ("async", AsyncVectorEnv), ("thread", ThreadVectorEnv)],
)
def test_each_mode_gives_its_class_and_the_same_episode(mode: Any, kind: type) -> None:
    envs = make_vec(PAIR, 3, mode, autoreset_mode=AutoresetMode.SAME_STEP)
    assert isinstance(envs, kind)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    reference = make_vec(PAIR, 3, autoreset_mode=AutoresetMode.SAME_STEP)
    calls = []
    for vec in (envs, reference):
        start = vec.reset(seed=1)
        steps = [vec.step((boxed(3), "no", boxed(9))), vec.step((boxed(5), boxed("1 1"), boxed(2)))]
        calls.append([start, *steps])
        vec.close()
    assert data_equivalence(*calls, exact=True)


def test_ids_are_taken_in_turn_and_one_env_each_is_the_default() -> None:
    envs = make_vec(PAIR, 5)
    assert [spec.id for spec in envs.get_attr("spec")] == [*PAIR, *PAIR, PAIR[0]]
    assert make_vec(PAIR).num_envs == 2
    assert make_vec(GUESS).num_envs == 1
    assert make_vec([GUESS]).num_envs == 1
    assert envs.spec is None


def test_the_spec_is_kept_where_there_is_one() -> None:
    envs = make_vec(GUESS, 2, "thread", high=9)
    assert envs.spec is not None
    assert envs.spec.id == GUESS
    assert envs.spec.kwargs == {"high": 9}
    assert repr(envs) == f"ThreadVectorEnv({GUESS}, num_envs=2)"
    assert gym.spec(GUESS).kwargs == {}
    envs.close()


def test_kwargs_and_wrappers_reach_every_env() -> None:
    def with_history(env: gym.Env[str, str]) -> gym.Env[str, str]:
        return History(env, "messages")

    envs = make_vec(GUESS, 2, "thread", wrappers=[with_history], low=3, high=4)
    observations, infos = envs.reset(seed=1)
    assert all("from 3 to 4" in text for text in observations)
    assert infos["messages"][1][0]["role"] == "user"
    envs.close()


def test_vector_kwargs_and_the_deadline_reach_the_vector_env() -> None:
    envs = make_vec(GUESS, mode="thread", step_timeout_s=3, vector_kwargs={"max_abandoned": 1})
    assert isinstance(envs, ThreadVectorEnv)
    assert envs.step_timeout_s == 3
    assert not make_vec(GUESS, vector_kwargs={"copy": False}).copy  # type: ignore[attr-defined]
    envs.close()


def test_an_id_with_a_module_is_imported() -> None:
    assert make_vec(f"gem_gymnasium:{GUESS}").spec.id == GUESS  # type: ignore[union-attr]


@pytest.mark.parametrize("context", ["spawn", "forkserver"])
def test_other_processes_know_ids_that_only_this_one_registered(context: str) -> None:
    id = "elsewhere/Guess-v0"
    if id not in gym.registry:
        entry_point = "gem_gymnasium.games.guess_the_number:GuessTheNumberEnv"
        gym.register(id, entry_point, kwargs={"high": 5})
    envs = make_vec(id, 1, "async", vector_kwargs={"context": context})
    assert "from 1 to 5" in envs.reset(seed=1)[0][0]
    envs.close()


def test_wrong_arguments_say_what_is_right() -> None:
    with pytest.raises(UnknownName, match=r"unknown vector mode 'threads'; did you mean 'thread'"):
        make_vec(GUESS, mode="threads")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="leaves out ids"):
        make_vec(PAIR, 1)
    with pytest.raises(ConfigError, match="num_envs must be at least 1, got 0"):
        make_vec(GUESS, 0)
    with pytest.raises(ConfigError, match="at least one id"):
        make_vec([])
    with pytest.raises(ConfigError, match="needs mode='thread'"):
        make_vec(GUESS, step_timeout_s=3)
    with pytest.raises(UnknownName, match="did you mean 'high'"):
        make_vec(GUESS, hihg=3)
    with pytest.raises(gym.error.NameNotFound, match="GuessTheNumber"):
        make_vec("gem/GuessTheNumbr-v0")


def test_make_vec_is_a_public_name() -> None:
    assert gem_gymnasium.vector.make_vec is make_vec
