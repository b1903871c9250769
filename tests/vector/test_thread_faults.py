"""ThreadVectorEnv where an env hangs or crashes: an invalid step, and a new env."""

import time
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from gem_gymnasium.core.errors import (
    ConfigError,
    MachineryError,
    MissingDependency,
    StepOutsideEpisode,
    StepTimeout,
)
from gem_gymnasium.core.text_env import INFO_TYPES
from gem_gymnasium.vector import ThreadVectorEnv
from tests.helpers import Faulty
from tests.vector.crew import MODES, Crew, check_invalid, check_invalid_info, made


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
