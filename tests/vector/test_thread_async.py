"""ThreadVectorEnv by send and recv, its calls, and its end."""

import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList

from gem_gymnasium.core.errors import (
    ConfigError,
    StepTimeout,
)
from gem_gymnasium.vector import ThreadVectorEnv
from tests.helpers import Faulty, replies
from tests.vector.crew import MIXED, MODES, Crew, check_invalid_info, made, same

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
