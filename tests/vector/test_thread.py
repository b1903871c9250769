"""ThreadVectorEnv: equal to SyncVectorEnv, and alive where an env hangs or breaks."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

import gem_gymnasium
from gem_gymnasium.core.errors import (
    ConfigError,
    MachineryError,
    MissingDependency,
    StepOutsideEpisode,
    StepTimeout,
)
from gem_gymnasium.core.text_env import INFO_TYPES
from gem_gymnasium.vector import ThreadVectorEnv
from gem_gymnasium.wrappers import History
from tests.helpers import Faulty, boxed, replies

MODES = list(AutoresetMode)
IDS = gem_gymnasium.registry.ids("game")
MIXED = (
    "gem/GuessTheNumber-v0",
    "gem/GuessTheNumber-easy-v0",
    "gem/Mastermind-easy-v0",
    "gem/Sudoku-easy-v0",
)


def same(one: Any, other: Any) -> bool:
    return data_equivalence(one, other, exact=True)


def made(*ids: str) -> list[Callable[[], gym.Env[str, str]]]:
    return [lambda id=id: gym.make(id) for id in ids]


class Crew:
    """Some Faulty envs whose hanging calls the test can release, and what was called on them."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.log: list[tuple[str, int]] = []
        self.built: list[Faulty] = []

    def env(self) -> Faulty:
        self.built.append(Faulty(self.log, self.event))
        return self.built[-1]

    def vec(self, n: int = 3, **kwargs: Any) -> ThreadVectorEnv:
        return ThreadVectorEnv([self.env] * n, **{"step_timeout_s": 0.3, **kwargs})


@pytest.fixture
def crew() -> Iterator[Crew]:
    crew = Crew()
    yield crew
    crew.event.set()  # lets abandoned threads end


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


# -- an env that hangs or crashes -----------------------------------------------------------------


def check_invalid(result: Any, i: int, stop: str, observation: str) -> None:
    """Check that env ``i`` of a batch took an invalid step."""
    observations, rewards, terminations, truncations, infos = result
    assert observations[i] == observation
    assert (rewards[i], terminations[i], truncations[i]) == (0.0, False, True)
    check_invalid_info(infos, i, stop)


def check_invalid_info(infos: dict[str, Any], i: int, stop: str) -> None:
    assert infos["stop"][i] == stop
    assert infos["error"][i]
    assert not infos["valid"][i]
    assert not infos["success"][i]
    for key, kind in {**INFO_TYPES, "draw": int}.items():
        assert infos[f"_{key}"][i], f"{key} is not filled"
        value = infos[key][i]
        assert isinstance(value.item() if isinstance(value, np.generic) else value, kind), key


@pytest.mark.parametrize(("order", "stop"), [("hang", "timeout"), ("crash now", "crash")])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
def test_a_failing_step_is_invalid_and_the_env_is_replaced(
    mode: AutoresetMode, order: str, stop: str, crew: Crew
) -> None:
    envs = crew.vec(3, autoreset_mode=mode)
    envs.reset(seed=5)
    before = envs.step(["go"] * 3)[0]
    start = time.monotonic()
    result = envs.step(["go", order, "end"])
    assert time.monotonic() - start < 3  # the env hangs for 60 s
    check_invalid(result, 1, stop, before[1])
    assert result[1].tolist() == [1.0, 0.0, 1.0]
    assert result[4]["valid"].tolist() == [True, False, True]
    if mode is AutoresetMode.NEXT_STEP:
        observations, rewards, terminations, truncations, infos = envs.step(["go"] * 3)
        assert rewards.tolist() == [1.0, 0.0, 0.0]
        assert not (terminations | truncations).any()
    else:
        observations, infos = envs.reset(options={"reset_mask": np.array([False, True, True])})
        assert infos["_turn"].tolist() == [False, True, True]
    assert infos["event"][1] == "reset"
    assert infos["valid"][1]
    assert observations[1].startswith("reset.")
    assert envs.replacements.tolist() == [0, 1, 0]
    assert len(crew.built) == 4
    assert envs.step(["go"] * 3)[1].tolist() == [1.0, 1.0, 1.0]
    envs.close()


@pytest.mark.parametrize(("order", "stop"), [("hang", "timeout"), ("crash", "crash")])
def test_in_same_step_mode_the_fresh_env_begins_at_once(order: str, stop: str, crew: Crew) -> None:
    envs = crew.vec(2, autoreset_mode=AutoresetMode.SAME_STEP)
    before, _ = envs.reset(seed=5)
    observations, rewards, terminations, truncations, infos = envs.step(["go", order])
    assert observations[1].startswith("reset.")
    assert (rewards[1], terminations[1], truncations[1]) == (0.0, False, True)
    assert infos["final_obs"][1] == before[1]
    check_invalid_info(infos["final_info"], 1, stop)
    assert infos["valid"].tolist() == [True, True]
    assert envs.step(["go"] * 2)[1].tolist() == [1.0, 1.0]
    envs.close()


def test_a_reset_that_fails_within_a_same_step_keeps_the_steps_own_result(crew: Crew) -> None:
    class Once(Faulty):
        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            if self.turn:
                raise RuntimeError("no second episode")
            return super().reset(seed=seed, options=options)

    envs = ThreadVectorEnv(
        [lambda: Once(), crew.env], autoreset_mode=AutoresetMode.SAME_STEP, step_timeout_s=5
    )
    envs.reset(seed=1)
    observations, rewards, terminations, _, infos = envs.step(["end", "go"])
    assert (rewards[0], terminations[0]) == (1.0, True)
    assert infos["final_info"]["valid"][0]
    check_invalid_info(infos, 0, "crash")
    assert observations[0] == infos["final_obs"][0]
    # Its next step is invalid and, the env being a fresh one, its episode begins.
    _, rewards, terminations, truncations, infos = envs.step(["go", "go"])
    assert (rewards[0], terminations[0], truncations[0]) == (0.0, False, True)
    check_invalid_info(infos["final_info"], 0, "crash")
    assert infos["valid"][0]
    assert envs.step(["go", "go"])[1].tolist() == [1.0, 1.0]
    envs.close()


@pytest.mark.parametrize(("order", "stop"), [("hang", "timeout"), ("crash", "crash")])
@pytest.mark.parametrize("mode", MODES)
def test_a_reset_that_fails_is_invalid_and_so_is_the_next_step(
    mode: AutoresetMode, order: str, stop: str, crew: Crew
) -> None:
    class Late(Faulty):
        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            return super().reset(seed=seed, options={"do": orders.pop()} if orders else None)

    orders = [order]
    envs = ThreadVectorEnv(
        [crew.env, lambda: Late(crew.log, crew.event)], autoreset_mode=mode, step_timeout_s=0.3
    )
    observations, infos = envs.reset(seed=1)
    assert observations[1] == ""
    assert infos["stop"][1] == stop
    assert not infos["valid"][1]
    assert infos["valid"][0]
    for key in INFO_TYPES:
        assert infos[f"_{key}"][1]
    _, rewards, terminations, truncations, infos = envs.step(["go", "go"])
    assert (rewards[1], terminations[1], truncations[1]) == (0.0, False, True)
    if mode is AutoresetMode.SAME_STEP:
        assert infos["final_info"]["stop"][1] == stop
        assert infos["valid"][1]
    else:
        assert infos["stop"][1] == stop
    if mode is AutoresetMode.DISABLED:
        envs.reset(options={"reset_mask": np.array([False, True])})
    elif mode is AutoresetMode.NEXT_STEP:
        assert envs.step(["go", "go"])[4]["event"][1] == "reset"
    assert envs.step(["go", "go"])[1].tolist() == [1.0, 1.0]
    envs.close()


def test_a_failed_first_reset_fills_the_keys_that_only_a_sister_env_knows(crew: Crew) -> None:
    class Shy(Faulty):
        extra_info: ClassVar[Any] = {}

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            return super().reset(seed=seed, options={"do": orders.pop()} if orders else None)

    orders: list[str] = []
    envs = ThreadVectorEnv([Shy, Shy], autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=1, options={"reset_mask": np.array([True, False])})
    orders.append("crash")
    _, infos = envs.reset(options={"reset_mask": np.array([False, True])})
    check_invalid_info(infos, 1, "crash")
    envs.close()


def test_replacements_are_seeded_the_same_in_every_run(crew: Crew) -> None:
    def run(seed: int) -> list[str]:
        envs = Crew().vec(2)
        envs.reset(seed=seed)
        texts = []
        for order in ("crash", "go", "go", "crash", "go"):
            texts.append(envs.step(["go", order])[0][1])
        envs.close()
        return texts

    one = run(5)
    assert one == run(5)
    assert one != run(6)
    assert one[1] != one[4]  # the second replacement is not the first one's twin


def test_the_callers_seed_wins_over_the_replacements_own(crew: Crew) -> None:
    envs = crew.vec(2, autoreset_mode=AutoresetMode.DISABLED)
    first, _ = envs.reset(seed=5)
    envs.step(["crash", "crash"])
    again, _ = envs.reset(seed=5)
    assert again == first
    envs.close()


def test_an_abandoned_env_is_never_touched_again(crew: Crew) -> None:
    envs = crew.vec(2)
    hung = crew.built[1]
    envs.reset(seed=1)
    envs.step(["go", "hang"])
    assert envs.abandoned_threads == 1
    envs.step(["go", "go"])
    envs.step(["go", "go"])
    envs.call("double", 2)
    crew.event.set()
    deadline = time.monotonic() + 5
    while envs.abandoned_threads and time.monotonic() < deadline:
        time.sleep(0.01)
    assert envs.abandoned_threads == 0  # the thread came back, and ended
    envs.step(["go", "go"])
    envs.close()
    after = [order for order, who in crew.log if who == id(hung)]
    assert after == ["reset", "hang"]
    assert hung.closed == 0
    assert crew.built[0].closed == 1


def test_a_crashed_env_is_closed(crew: Crew) -> None:
    envs = crew.vec(2)
    envs.reset(seed=1)
    envs.step(["crash", "go"])
    envs.step(["go", "go"])
    assert [env.closed for env in crew.built] == [1, 0, 0]
    envs.step(["crash", "go"])
    envs.close()  # the last one crashed and was not yet replaced
    assert [env.closed for env in crew.built] == [1, 1, 1]


def test_too_many_abandoned_threads_raise(crew: Crew) -> None:
    envs = crew.vec(3, max_abandoned=2)
    envs.reset(seed=1)
    envs.step(["hang", "hang", "go"])
    envs.step(["go", "go", "go"])
    with pytest.raises(MachineryError, match=r"3 threads hang .* max_abandoned=2"):
        envs.step(["hang", "go", "go"])
    envs.close()


@pytest.mark.parametrize(
    "mistake", [ConfigError("no"), StepOutsideEpisode("no"), ResetNeeded("no"),
                MissingDependency("x", "games", "y")],
)  # fmt: skip
def test_what_the_caller_did_wrong_is_raised(mistake: Exception, crew: Crew) -> None:
    class Refusing(Faulty):
        def step(self, action: str) -> Any:
            if action == "wrong":
                raise mistake
            return super().step(action)

    envs = ThreadVectorEnv([lambda: Refusing(), crew.env])
    envs.reset(seed=1)
    with pytest.raises(type(mistake)):
        envs.step(["wrong", "go"])
    assert envs.replacements.tolist() == [0, 0]
    assert envs.step(["go", "go"])[4]["turn"].tolist() == [1, 2]
    envs.close()


def test_errors_of_machinery_keep_their_kind(crew: Crew) -> None:
    class Tool(Faulty):
        def step(self, action: str) -> Any:
            raise StepTimeout("the tool is slow") if action == "slow" else MachineryError("down")

    envs = ThreadVectorEnv([lambda: Tool(), lambda: Tool()])
    envs.reset(seed=1)
    infos = envs.step(["slow", "x"])[4]
    assert infos["stop"].tolist() == ["timeout", "crash"]
    assert infos["error"].tolist() == ["StepTimeout: the tool is slow", "MachineryError: down"]
    envs.close()


def test_an_action_that_is_no_text_and_a_step_before_reset_raise() -> None:
    envs = ThreadVectorEnv(made("gem/GuessTheNumber-v0", "gem/GuessTheNumber-v0"))
    with pytest.raises(ResetNeeded):
        envs.step(["x", "x"])
    envs.reset()
    with pytest.raises(ConfigError, match="must be a str"):
        envs.step([3, "x"])
    with pytest.raises(ConfigError, match="one action for each env"):
        envs.step(["x"])
    envs.close()


def test_an_endless_error_message_is_cut(crew: Crew) -> None:
    envs = crew.vec(1)
    envs.reset(seed=1)
    error = envs.step(["crash " + "\ud800" * 9_999])[4]["error"][0]
    assert len(error.encode("utf-8")) <= 500
    envs.close()


def test_a_constructor_that_hangs_or_raises_is_told_to_the_caller(crew: Crew) -> None:
    with pytest.raises(StepTimeout, match="not built within"):
        ThreadVectorEnv([lambda: crew.event.wait(60)], step_timeout_s=0.1)  # type: ignore[list-item]
    with pytest.raises(ConfigError, match="unknown rule"):
        ThreadVectorEnv([lambda: gym.make("gem/GuessTheNumber-v0", lwo=1)])


def test_a_replacement_that_cannot_be_built_is_invalid_until_it_can(crew: Crew) -> None:
    broken: list[str] = []

    def make() -> Faulty:
        if broken:
            raise OSError(broken[0])
        return crew.env()

    envs = ThreadVectorEnv([make, crew.env], step_timeout_s=1)
    envs.reset(seed=1)
    broken.append("no space left")
    envs.step(["crash", "go"])
    for _ in range(2):
        infos = envs.step(["go", "go"])[4]  # a reset that fails
        assert infos["error"][0] == "OSError: no space left"
        assert envs.step(["go", "go"])[3].tolist() == [True, False]  # so this step is invalid
    broken.clear()
    assert envs.step(["go", "go"])[4]["valid"].all()
    envs.close()


@pytest.mark.parametrize("timeout", [None, 0, -1, float("nan"), float("inf"), "1"])
def test_there_is_always_a_deadline(timeout: Any, crew: Crew) -> None:
    with pytest.raises(ConfigError, match="step_timeout_s"):
        crew.vec(1, step_timeout_s=timeout)
    assert ThreadVectorEnv([crew.env]).step_timeout_s == 600


def test_a_vector_env_of_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one env"):
        ThreadVectorEnv([])


# -- speed ----------------------------------------------------------------------------------------


def test_waits_overlap(crew: Crew) -> None:
    envs = crew.vec(32, step_timeout_s=5)
    envs.reset(seed=1)
    start = time.monotonic()
    envs.step(["sleep 0.1"] * 32)
    assert time.monotonic() - start < 1.6  # in a loop it takes 3.2 s
    envs.close()


def test_one_hanging_env_costs_the_others_its_deadline_once(crew: Crew) -> None:
    envs = crew.vec(16, step_timeout_s=0.5)
    envs.reset(seed=1)
    start = time.monotonic()
    envs.step(["hang", *["sleep 0.05"] * 15])
    assert 0.5 <= time.monotonic() - start < 2
    start = time.monotonic()
    envs.step(["go", *["sleep 0.05"] * 15])
    assert time.monotonic() - start < 0.5  # no deadline is waited for
    envs.close()


# -- send and recv --------------------------------------------------------------------------------


def test_recv_returns_whichever_are_ready(crew: Crew) -> None:
    envs = crew.vec(4, step_timeout_s=5)
    envs.reset(seed=1)
    envs.send(["sleep 1.5", "go", "go"], [0, 3, 1])
    start = time.monotonic()
    observations, rewards, terminations, truncations, infos = envs.recv(2)
    assert time.monotonic() - start < 1.2
    assert infos["env_id"].tolist() == [1, 3]
    assert infos["turn"].tolist() == [1, 1]
    assert rewards.tolist() == [1.0, 1.0]
    assert len(observations) == len(terminations) == len(truncations) == 2
    with pytest.raises(ConfigError, match=r"envs \[0\] is under way"):
        envs.send(["go"], [0])
    with pytest.raises(ConfigError, match="under way"):
        envs.step(["go"] * 4)
    with pytest.raises(ConfigError, match="min_batch"):
        envs.recv(2)
    envs.send(["go"], [1])
    ids = set()
    while len(ids) < 2:
        ids |= {*envs.recv()[4]["env_id"].tolist()}
    assert ids == {0, 1}
    assert envs.step(["go"] * 4)[4]["turn"].tolist() == [2, 3, 1, 2]
    envs.close()


def test_send_refuses_what_cannot_be_sent(crew: Crew) -> None:
    envs = crew.vec(2)
    envs.reset(seed=1)
    for actions, ids in ((["go"], [2]), (["go"], [-1]), (["go"], [0, 1]), (["a", "b"], [0, 0])):
        with pytest.raises(ConfigError):
            envs.send(actions, ids)
    envs.close()


@pytest.mark.parametrize("mode", MODES)
def test_episodes_by_send_and_recv_equal_those_by_step(mode: AutoresetMode) -> None:
    envs = ThreadVectorEnv(made(*MIXED), autoreset_mode=mode)
    twin = ThreadVectorEnv(made(*MIXED), autoreset_mode=mode)
    envs.reset(seed=2), twin.reset(seed=2)
    for turn in range(12):
        actions = [replies(id, 0, turn + 1)[-1] for id in MIXED]
        envs.send(actions[::-1], [3, 2, 1, 0])
        one, other = envs.recv(4), twin.step(actions)
        assert one[4].pop("env_id").tolist() == [0, 1, 2, 3]
        assert one[4].pop("_env_id").all()
        assert same(one, other)
        done = other[2] | other[3]
        if mode is AutoresetMode.DISABLED and done.any():
            options = {"reset_mask": done}
            assert same(envs.reset(options=options), twin.reset(options=options))
    envs.close()
    twin.close()


@pytest.mark.parametrize("mode", MODES)
def test_recv_turns_a_hanging_env_into_an_invalid_step(mode: AutoresetMode, crew: Crew) -> None:
    envs = crew.vec(2, autoreset_mode=mode)
    envs.reset(seed=1)
    envs.send(["hang", "go"], [0, 1])
    assert envs.recv()[4]["env_id"].tolist() == [1]
    _, rewards, terminations, truncations, infos = envs.recv()
    assert (rewards[0], terminations[0], truncations[0]) == (0.0, False, True)
    check_invalid_info(
        infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos, 0, "timeout"
    )
    envs.close()


def test_some_envs_can_be_reset_while_others_step(crew: Crew) -> None:
    envs = crew.vec(3, autoreset_mode=AutoresetMode.DISABLED, step_timeout_s=5)
    envs.reset(seed=1)
    envs.send(["end", "sleep 0.2", "sleep 0.3"], [0, 1, 2])
    assert envs.recv()[4]["env_id"].tolist() == [0]
    _, infos = envs.reset(options={"reset_mask": np.array([True, False, False])})
    assert infos["event"][0] == "reset"
    with pytest.raises(ConfigError, match="under way"):
        envs.reset()
    assert sorted(envs.recv(2)[4]["env_id"].tolist()) == [1, 2]
    envs.close()


def test_every_env_is_driven_by_one_thread_at_a_time() -> None:
    class Alone(Faulty):
        inside = 0

        def step(self, action: str) -> Any:
            self.inside += 1
            assert self.inside == 1
            time.sleep(0.001)
            self.inside -= 1
            return super().step(action)

    envs = ThreadVectorEnv([lambda: Alone()] * 8)
    envs.reset(seed=1)
    envs.send(["go"] * 8, range(8))
    for _ in range(60):
        ids = envs.recv()[4]["env_id"]
        envs.send(["go"] * len(ids), ids)
    infos = envs.recv(8)[4]
    assert infos["valid"].all()
    envs.close()


# -- calls, close ---------------------------------------------------------------------------------


def test_call_get_set_and_render(crew: Crew) -> None:
    envs = crew.vec(2)
    envs.reset(seed=1)
    assert envs.call("double", 4) == (8, 8)
    assert envs.get_attr("note") == ("none", "none")
    envs.set_attr("note", ["a", "b"])
    assert envs.get_attr("note") == ("a", "b")
    envs.set_attr("note", "both")
    assert envs.get_attr("note") == ("both", "both")
    assert envs.render() == ("frame 0", "frame 0")
    assert len(envs.np_random) == 2
    with pytest.raises(ConfigError, match="3 values for 2 envs"):
        envs.set_attr("note", [1, 2, 3])
    with pytest.raises(AttributeError):
        envs.call("no_such_method")
    with pytest.raises(RuntimeError, match="broke"):
        envs.call("_obey", "crash")
    assert envs.replacements.tolist() == [0, 0]  # a method's error is the caller's affair
    envs.close()


def test_a_call_that_hangs_ends_too_and_a_call_reaches_a_fresh_env(crew: Crew) -> None:
    envs = crew.vec(2)
    envs.reset(seed=1)
    with pytest.raises(StepTimeout, match="gave no answer"):
        envs.call("_obey", "hang")
    assert envs.replacements.tolist() == [1, 1]
    assert envs.call("double", 1) == (2, 2)
    assert envs.get_attr("turn") == (0, 0)
    # There is no episode in the fresh envs yet, so the step is invalid.
    assert not envs.step(["go", "go"])[4]["valid"].any()
    assert envs.step(["go", "go"])[4]["valid"].all()
    envs.close()


def test_close_is_idempotent_and_final(crew: Crew) -> None:
    envs = crew.vec(2)
    envs.reset(seed=1)
    envs.close()
    envs.close()
    assert [env.closed for env in crew.built] == [1, 1]
    for call in (lambda: envs.step(["go", "go"]), envs.reset, envs.render, lambda: envs.recv(1)):
        with pytest.raises(ClosedEnvironmentError):
            call()


def test_close_has_a_deadline_and_leaves_what_hangs(crew: Crew) -> None:
    class Stuck(Faulty):
        def close(self) -> None:
            crew.event.wait(60)

    envs = ThreadVectorEnv([lambda: Stuck(crew.log, crew.event), crew.env, crew.env])
    envs.reset(seed=1)
    envs.send(["go", "sleep 0.1", "hang"], [0, 1, 2])
    start = time.monotonic()
    envs.close(timeout_s=0.3)
    assert time.monotonic() - start < 5  # and not the 60 s that they hang
    assert [env.closed for env in crew.built] == [1, 0]


def test_an_error_of_close_is_raised_once(crew: Crew) -> None:
    class Broken(Faulty):
        def close(self) -> None:
            raise OSError("still busy")

    envs = ThreadVectorEnv([lambda: Broken(), crew.env])
    envs.reset(seed=1)
    with pytest.raises(OSError, match="still busy"):
        envs.close()
    envs.close()
    assert crew.built[0].closed == 1


def test_the_threads_of_a_forgotten_vector_env_end() -> None:
    before = set(threading.enumerate())  # by identity: threads of other tests may end meanwhile
    envs = ThreadVectorEnv(made(*["gem/GuessTheNumber-v0"] * 4))
    envs.reset(seed=1)
    new = set(threading.enumerate()) - before
    assert len(new) == 4
    del envs
    deadline = time.monotonic() + 5
    while any(thread.is_alive() for thread in new) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(thread.is_alive() for thread in new)


def test_an_interrupt_leaves_no_call_behind(crew: Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    envs = crew.vec(2, step_timeout_s=5)
    envs.reset(seed=1)
    pool = envs._driver.pool
    wait = pool.wait
    monkeypatch.setattr(pool, "wait", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        envs.step(["hang", "go"])
    monkeypatch.setattr(pool, "wait", wait)
    assert not envs.step(["go", "go"])[4]["valid"].any()
    assert envs.step(["go", "go"])[4]["valid"].all()
    envs.close()


def test_the_interpreter_exits_although_a_thread_hangs() -> None:
    script = """
import time, gymnasium as gym, gem_gymnasium
from gem_gymnasium.vector import ThreadVectorEnv
class Hang(gym.Wrapper):
    def step(self, action): time.sleep(600)
envs = ThreadVectorEnv([lambda: Hang(gym.make("gem/GuessTheNumber-v0"))] * 2, step_timeout_s=0.1)
envs.reset(seed=1)
assert not envs.step(["x", "x"])[4]["valid"].any()
"""
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, timeout=60)


def test_infos_can_be_turned_into_lists(crew: Crew) -> None:
    envs = DictInfoToList(crew.vec(2))
    envs.reset(seed=1)
    infos = envs.step(["go", "crash"])[4]
    assert [info["stop"] for info in infos] == ["", "crash"]
    assert set(infos[0]) == set(infos[1])
    envs.close()
