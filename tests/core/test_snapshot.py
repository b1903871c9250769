"""snapshot and restore: the whole stack, at any moment, in any process."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import (
    NormalizeReward,
    TimeLimit,
)

from gem_gymnasium import branch, restore, snapshot
from gem_gymnasium.core.errors import (
    SnapshotMismatch,
    SnapshotUnsupported,
    StepOutsideEpisode,
)
from gem_gymnasium.core.snapshot import FORMAT_VERSION
from gem_gymnasium.registry import ids
from gem_gymnasium.wrappers import History
from tests.core.stacks import (
    ID,
    ROOT,
    STACKS,
    AnyEnv,
    Coin,
    begun,
    continuation,
)
from tests.helpers import boxed


# -- save and restore ----------------------------------------------------------------------------
@pytest.mark.parametrize("steps", [0, 2, 4])
@pytest.mark.parametrize("name", STACKS)
def test_a_restored_env_goes_on_as_the_saved_one(name: str, steps: int) -> None:
    env = begun(STACKS[name], steps)
    data = snapshot(env)
    expected = continuation(env)
    fresh, used = STACKS[name](), begun(STACKS[name], 3)
    for target in (fresh, used, env):
        restore(target, data)
        assert snapshot(target) == data
        assert continuation(target) == expected


@pytest.mark.parametrize("id", ids("game"))
def test_every_id_goes_on_after_a_restore(id: str) -> None:
    def play(env: AnyEnv, rng: np.random.Generator, steps: int) -> list[Any]:
        results = [env.step(env.unwrapped.sample_legal_action(rng))]
        while len(results) < steps:
            over = results[-1][2] if len(results[-1]) == 5 else False
            move = env.unwrapped.sample_legal_action
            results.append(env.reset() if over else env.step(move(rng)))
        return results

    env, other = History(gym.make(id)), History(gym.make(id))
    env.reset(seed=3)
    while play(env, np.random.default_rng(9), 1)[0][2]:
        env.reset()
    restore(other, snapshot(env))
    expected = play(env, np.random.default_rng(5), 20)
    assert play(other, np.random.default_rng(5), 20) == expected
    assert other.reset() == env.reset()


def test_taking_a_snapshot_changes_nothing() -> None:
    watched, quiet = begun(STACKS["all"]), begun(STACKS["all"])
    assert snapshot(watched) == snapshot(watched)
    assert continuation(watched) == continuation(quiet)


def test_an_episode_that_is_over_is_still_over() -> None:
    env = TimeLimit(gym.make(ID), 9)
    env.reset(seed=2)
    assert env.step("no idea")[2]
    other = TimeLimit(gym.make(ID), 9)
    other.reset(seed=0)
    restore(other, snapshot(env))
    with pytest.raises(StepOutsideEpisode, match="the episode is over"):
        other.step(boxed("1 2 3 4"))
    assert other.reset() == env.reset()


@pytest.mark.parametrize("name", STACKS)
def test_before_any_reset_there_is_nothing_to_step(name: str) -> None:
    data = snapshot(STACKS[name]())
    other = begun(STACKS[name])
    restore(other, data)
    assert snapshot(other) == data
    with pytest.raises(gym.error.ResetNeeded):
        other.step(boxed("1 2 3 4"))
    fresh = STACKS[name]()
    assert other.reset(seed=4) == fresh.reset(seed=4)
    assert continuation(other) == continuation(fresh)


def test_the_seed_of_the_env_is_restored() -> None:
    env, other = begun(STACKS["made"]), STACKS["made"]()
    restore(other, snapshot(env))
    assert other.unwrapped.np_random_seed == env.unwrapped.np_random_seed == 11


@pytest.mark.parametrize("name", ["made", "all"])
def test_a_fresh_interpreter_goes_on_the_same(name: str) -> None:
    env = begun(STACKS[name], 3)
    data = snapshot(env)
    code = f"""
import base64, sys
from gem_gymnasium import restore
from tests.core.test_snapshot import STACKS, continuation
env = STACKS[{name!r}]()
restore(env, base64.b64decode(sys.argv[1]))
print(ascii(continuation(env)))
"""
    command = [sys.executable, "-c", code, base64.b64encode(data).decode()]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == ascii(continuation(env))


def test_a_restored_clock_runs_from_the_restore() -> None:
    env = begun(STACKS["RecordEpisodeStatistics"])
    fresh = STACKS["RecordEpisodeStatistics"]()
    restore(fresh, snapshot(env))
    started = time.perf_counter()
    *_, info = fresh.step("no idea")
    assert 0 <= info["episode"]["t"] <= time.perf_counter() - started + 1.0
    assert info["episode"]["l"] == 3


def test_the_count_of_episodes_is_restored() -> None:
    env = begun(STACKS["RecordEpisodeStatistics"], steps=8)
    assert env.get_wrapper_attr("episode_count") == 1
    fresh = STACKS["RecordEpisodeStatistics"]()
    restore(fresh, snapshot(env))
    assert fresh.get_wrapper_attr("episode_count") == 1


def test_the_generators_that_a_restored_env_spawns_are_the_same() -> None:
    env = begun(STACKS["made"])
    env.unwrapped.np_random.spawn(2)
    other = STACKS["made"]()
    restore(other, snapshot(env))
    draws = [e.unwrapped.np_random.spawn(1)[0].integers(2**62) for e in (env, other)]
    assert draws[0] == draws[1]


HOSTILE = ("\ud800", "\ud83d\ude00 as two", "\x00\x1b", "é■\U0001f469", '"}\\', "\u2028\ufeff")


@pytest.mark.parametrize("layout", ["text", "messages"])
def test_hostile_replies_survive_in_history(layout: Any) -> None:
    def build() -> AnyEnv:
        return History(gym.make(ID, on_malformed="continue"), layout)

    env = build()
    env.reset(seed=0)
    for reply in HOSTILE:
        env.step(reply)
    data = snapshot(env)
    other = build()
    restore(other, data)
    assert snapshot(other) == data
    assert other.step("\udfff") == env.step("\udfff")


# -- the format ----------------------------------------------------------------------------------
def test_a_snapshot_is_ascii_json_with_a_version() -> None:
    env = History(gym.make(ID, on_malformed="continue"))
    env.reset(seed=0)
    env.step("é \ud800 ■")
    data = snapshot(env)
    assert type(data) is bytes
    assert data.isascii()
    document = json.loads(data)
    assert document["version"] == FORMAT_VERSION == 1
    assert document["id"] == ID
    assert document["kwargs"]["digits"] == 8
    assert document["kwargs"]["on_malformed"] == "continue"
    assert [name.partition("(")[0].rpartition(".")[2] for name in document["stack"]] == [
        "History",
        "PassiveEnvChecker",
        "MastermindEnv",
    ]


# -- what is refused -----------------------------------------------------------------------------
def other_version(data: bytes) -> bytes:
    return json.dumps({**json.loads(data), "version": 2}).encode()


MISMATCHES: dict[str, tuple[Callable[[], AnyEnv], Callable[[], AnyEnv], str]] = {
    "id": (
        lambda: gym.make(ID),
        lambda: gym.make("gem/Sudoku-v0"),
        r"snapshot's id is 'gem/Mastermind-hard-v0', the env's 'gem/Sudoku-v0'",
    ),
    "kwargs": (
        lambda: gym.make(ID),
        lambda: gym.make(ID, max_turns=9),
        r"snapshot's kwargs is .*'max_turns': 30.*, the env's .*'max_turns': 9",
    ),
    "a missing wrapper": (
        lambda: History(gym.make(ID)),
        lambda: gym.make(ID),
        r"snapshot's stack is .*History.*, the env's \['gymnasium.*PassiveEnvChecker'",
    ),
    "an added wrapper": (
        lambda: gym.make(ID),
        lambda: TimeLimit(gym.make(ID), 3),
        r"the env's .*TimeLimit\(max_episode_steps=3\)",
    ),
    "the order of wrappers": (
        lambda: History(TimeLimit(gym.make(ID), 3)),
        lambda: TimeLimit(History(gym.make(ID)), 3),
        r"snapshot's stack is \['gem.*History.*TimeLimit.*, the env's \['gym.*TimeLimit.*History",
    ),
    "a limit": (
        lambda: TimeLimit(gym.make(ID), 3),
        lambda: TimeLimit(gym.make(ID), 4),
        r"max_episode_steps=3.*max_episode_steps=4",
    ),
    "a layout": (
        lambda: History(gym.make(ID)),
        lambda: History(gym.make(ID), "messages"),
        r'layout="text".*layout="messages"',
    ),
}


@pytest.mark.parametrize("name", MISMATCHES)
def test_a_mismatch_says_what_differs_and_leaves_the_env_alone(name: str) -> None:
    saved, other, message = MISMATCHES[name]
    data = snapshot(begun(saved))
    env = begun(other, 1)
    before = snapshot(env)
    with pytest.raises(SnapshotMismatch, match=message):
        restore(env, data)
    assert snapshot(env) == before


def test_another_version_is_refused() -> None:
    env = begun(STACKS["made"])
    with pytest.raises(SnapshotMismatch, match="snapshot's version is 2, not 1"):
        restore(env, other_version(snapshot(env)))


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\xff\xfe\x00", b"{", b"null", b"[]", b"1", b'"version"', b"{}", b"[" * 100_000,
        b'{"version": 1}', b"\x80\x04\x95.", b'{"version": 1, "id": null, "kwargs": {}}',
    ],
    ids=lambda data: repr(data[:20]),
)  # fmt: skip
def test_garbage_is_refused(data: bytes) -> None:
    env = begun(STACKS["made"])
    before = snapshot(env)
    with pytest.raises(SnapshotMismatch, match="not a snapshot"):
        restore(env, data)
    assert snapshot(env) == before


def test_half_a_snapshot_is_refused() -> None:
    env = begun(STACKS["all"])
    data = snapshot(env)
    for length in range(0, len(data), 97):
        with pytest.raises(SnapshotMismatch):
            restore(env, data[:length])


class Forgetful(gym.Wrapper[str, str, str, str]):
    """Forwards what it does not know, as wrappers of other people do."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.env, name)


@pytest.mark.parametrize("wrap", [Forgetful, NormalizeReward])
@pytest.mark.parametrize("call", [snapshot, lambda env: branch(env, 2)])
def test_a_wrapper_without_known_state_is_named(wrap: Any, call: Callable[[AnyEnv], Any]) -> None:
    env = History(wrap(gym.make(ID).unwrapped))
    env.reset(seed=0)
    with pytest.raises(SnapshotUnsupported, match=rf"{wrap.__name__} has no known state: give it"):
        call(env)


def test_a_subclass_of_a_stock_wrapper_is_not_taken_for_it() -> None:
    class Patient(TimeLimit):
        pass

    with pytest.raises(SnapshotUnsupported, match="Patient has no known state"):
        snapshot(Patient(gym.make(ID), 3))


def test_an_env_with_live_processes_is_unsupported() -> None:
    class Living(Coin):
        metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "snapshot": False}  # type: ignore[misc]

    with pytest.raises(SnapshotUnsupported, match="holds live processes"):
        snapshot(TimeLimit(Living(), 3))
    with pytest.raises(SnapshotUnsupported, match="holds live processes"):
        branch(Living(), 2)


@pytest.mark.parametrize(
    ("env", "message"),
    [
        (Coin({1, 2}), r"the state of .*Coin.* is no JSON: .*set"),
        (Coin(float("nan")), r"the state of .* is no JSON"),
        (Coin(rule=print), r"the kwargs .*'rule'.* are no JSON: .*builtin"),
        (Coin(rule=np.int64(3)), r"the kwargs .* are no JSON: .*int64"),
    ],
)
def test_what_json_cannot_hold_is_unsupported(env: AnyEnv, message: str) -> None:
    env.reset(seed=0)
    with pytest.raises(SnapshotUnsupported, match=message):
        snapshot(env)


@pytest.mark.parametrize("bits", [np.random.MT19937, np.random.PCG64DXSM])
def test_a_generator_of_another_kind_is_unsupported(bits: Any) -> None:
    env = Coin()
    env.np_random = np.random.Generator(bits(1))
    with pytest.raises(SnapshotUnsupported, match=bits.__name__):
        snapshot(env)


@pytest.mark.parametrize("layers", [[], [{}], [{}, {}], "x", [None, None]])
def test_a_damaged_snapshot_is_refused_and_leaves_the_env_as_it_was(layers: Any) -> None:
    env = gym.make("gem/GuessTheNumber-easy-v0")
    env.reset(seed=1)
    env.step("\\boxed{5}")
    whole = snapshot(env)
    document = json.loads(whole)
    document["layers"] = layers
    with pytest.raises(SnapshotMismatch, match="damaged"):
        restore(env, json.dumps(document).encode())
    assert snapshot(env) == whole


@pytest.mark.parametrize("number", [-1, 2**200])
def test_a_damaged_generator_is_refused_and_leaves_the_env_as_it_was(number: int) -> None:
    env = gym.make("gem/GuessTheNumber-easy-v0")
    env.reset(seed=1)
    document = json.loads(snapshot(env))
    env.step("\\boxed{5}")
    whole = snapshot(env)
    document["rng"]["state"]["uinteger"] = number
    with pytest.raises(SnapshotMismatch, match="damaged"):
        restore(env, json.dumps(document).encode())
    assert snapshot(env) == whole
