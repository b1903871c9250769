"""ToolUse with real programs: a killed sandbox, an interpreter that lives on, batches of envs."""

import threading
import time
from functools import partial
from typing import Any

import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from gem_gymnasium import ThreadVectorEnv, restore, snapshot
from gem_gymnasium.core.errors import SnapshotUnsupported
from gem_gymnasium.sandbox import available
from gem_gymnasium.tools import PythonTool
from gem_gymnasium.wrappers import ToolUse
from tests.tools.killing import RUNS, kill_in
from tests.wrappers.toy_task import SumEnv, answer

pytestmark = pytest.mark.skipif(
    available()["zygote"] != "", reason=f"no zygote: {available()['zygote']}"
)


def make(max_turns: int = 3, **options: Any) -> ToolUse:
    return ToolUse(SumEnv(max_turns=max_turns), [PythonTool(**options)], max_tool_uses=20)


def program(source: str) -> str:
    return f"Let me see.\n<python>{source}</python>"


# -- a sandbox that fails ------------------------------------------------------------------------
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("level", RUNS)
def test_a_sandbox_killed_in_mid_run_is_an_invalid_step_and_the_next_episode_works(
    level: str, persistent: bool
) -> None:
    if why := available()[level]:
        pytest.skip(f"no {level}: {why}")
    env = make(level=level, persistent=persistent, timeout_s=20.0)
    env.reset(seed=0)
    good, *_, before = env.step(program("print(6 * 7)"))
    assert before["tool_ok"]
    killer = kill_in(0.3, level)
    started = time.monotonic()
    observation, reward, terminated, truncated, info = env.step(program("while True: pass"))
    killer.join()
    assert time.monotonic() - started < 15
    assert (observation, reward, terminated, truncated) == (good, 0.0, False, True)
    assert (info["valid"], info["stop"], info["tool_uses"]) == (False, "tool", 1)
    assert info["error"].startswith(f"ToolFailure: the sandbox (level {level}) failed: ")
    env.reset(seed=0)
    assert env.step(program("print(6 * 7)"))[:4] == (good, 0.0, False, False)
    assert env.step(answer(env))[4]["success"]
    env.close()


# -- programs that fail --------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("1 / 0", "error"),
        ("print(1", "error"),
        ("import os; os._exit(3)", "error"),
        ("while True: pass", "timeout"),
        ("while True: print('x' * 9_999)", "limit"),
        ("x = bytearray(8 << 30)", "limit"),
        ("import socket; socket.create_connection(('127.0.0.1', 80))", "error"),
    ],
)
@pytest.mark.parametrize("persistent", [False, True])
def test_no_program_ends_the_episode(source: str, status: str, persistent: bool) -> None:
    env = make(persistent=persistent, timeout_s=1.0)
    env.reset(seed=0)
    *_, terminated, truncated, info = env.step(program(source))
    assert (terminated, truncated, info["valid"], info["tool_ok"]) == (False, False, True, False)
    assert (info["tool_status"], info["sandbox"]) == (status, "zygote")
    assert env.step(program("print(2)"))[4]["tool_ok"]
    assert env.step(answer(env))[4]["success"]
    env.close()


# -- an interpreter that lives on ----------------------------------------------------------------
def test_names_live_until_the_end_of_the_episode() -> None:
    env = make(persistent=True)
    assert "Names live on" in env.reset(seed=0)[0]
    env.step(program("x = 41"))
    assert env.step(program("print(x + 1)"))[4]["feedback"].endswith(":\n42")
    env.step(answer(env))
    env.reset()
    assert "NameError" in env.step(program("print(x)"))[4]["feedback"]
    env.close()


def test_a_snapshot_waits_until_no_interpreter_lives() -> None:
    env = make(persistent=True)
    env.reset(seed=0)
    data = snapshot(env)
    env.step(program("x = 1"))
    with pytest.raises(SnapshotUnsupported, match="the tool 'python' keeps something that lives"):
        snapshot(env)
    env.step(answer(env))
    snapshot(env)
    restore(env, data)
    assert env.step(program("print(1)"))[4]["tool_uses"] == 1
    env.close()


# -- many envs -----------------------------------------------------------------------------------
SCRIPT = (
    program("import random, numpy\nprint(random.random(), numpy.random.rand(), set('abcd'))"),
    program("print(sorted(globals()), id(0) and 1 / 0)"),
    program("import os; print(os.getcwd() and os.listdir('.'))"),
    "\\boxed{1}",
    program("x = 1"),
    "\\boxed{2}",
)


def episode(seed: int, env: ToolUse | None = None) -> list[Any]:
    env = make() if env is None else env
    calls: list[Any] = [env.reset(seed=seed)]
    calls += [env.step(reply) for reply in SCRIPT]
    env.close()
    return calls


def test_equal_seeds_and_replies_give_equal_bytes_alone_and_in_threads() -> None:
    alone = [episode(seed) for seed in (0, 1)]
    assert alone == [episode(seed) for seed in (0, 1)]
    assert alone[0] != alone[1]
    tool = PythonTool()
    found: dict[int, list[Any]] = {}

    def work(number: int) -> None:
        env = ToolUse(SumEnv(max_turns=3), [tool], max_tool_uses=20)
        found[number] = episode(number % 2, env)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number] for number in range(6)] == alone * 3


@pytest.mark.parametrize(
    "kind",
    [
        SyncVectorEnv,
        ThreadVectorEnv,
        AsyncVectorEnv,
        partial(AsyncVectorEnv, context="spawn", shared_memory=False),
    ],
    ids=["sync", "thread", "async", "async spawn"],
)
def test_every_vector_env_plays_the_same_episodes(kind: Any) -> None:
    alone = [episode(seed) for seed in (5, 6)]
    envs = kind([make, make])
    observations, infos = envs.reset(seed=5)
    for turn, reply in enumerate(("", *SCRIPT)):
        if reply:
            observations, rewards, _, _, infos = envs.step((reply, reply))
            assert list(rewards) == [alone[i][turn][1] for i in range(2)]
        for i in range(2):
            assert observations[i] == alone[i][turn][0]
            for key in ("tool", "tool_ok", "tool_uses", "event", "sandbox"):
                assert infos[key][i] == alone[i][turn][-1][key]
    envs.close()
