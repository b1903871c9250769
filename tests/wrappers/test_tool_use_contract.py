"""ToolUse keeps every promise of a text env, can be copied, and refuses what is wrong."""

import copy
import pickle
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils import RecordConstructorArgs
from gymnasium.wrappers import TimeLimit

from gem_gymnasium import branch, restore, snapshot
from gem_gymnasium.core.errors import (
    ConfigError,
    SnapshotMismatch,
    SnapshotUnsupported,
    UnknownName,
)
from gem_gymnasium.testing import ConformanceError, check_text_env
from gem_gymnasium.tools import Call, PythonTool, Tool, ToolResult
from gem_gymnasium.wrappers import ToolUse
from tests.tools.echoes import Add, Look, Tally, asked
from tests.wrappers.toy_task import SumEnv, make, started


# -- conformance, copies -------------------------------------------------------------------------
def test_the_wrapped_env_keeps_every_promise() -> None:
    check_text_env(lambda: make(Add(), Look(), PythonTool(), max_turns=5), step_limit_s=0.1)


def test_the_suite_finds_a_tool_turn_that_is_none() -> None:
    class Turning(ToolUse):
        def step(self, action: str) -> Any:
            *others, info = super().step(action)
            if info["tool"]:
                info["turn"] += 1
            return *others, info

    with pytest.raises(ConformanceError, match="a tool turn names its tool, is no turn of the env"):
        check_text_env(lambda: Turning(SumEnv(max_turns=5), [Look(), PythonTool()]))


SCRIPT = ("<look>a</look>", "\\boxed{1}", asked("look", word="b"), "<look>missing</look>", "no")


@pytest.mark.parametrize("cut", range(len(SCRIPT) + 1))
def test_a_snapshot_goes_on_as_the_env_does(cut: int) -> None:
    env = started(make(max_turns=3, preset="python"))
    for reply in SCRIPT[:cut]:
        env.step(reply)
    data = snapshot(env)
    twins = [make(max_turns=3, preset="python"), pickle.loads(pickle.dumps(env))]
    restore(twins[0], data)
    twins += [copy.deepcopy(env), *branch(env, 2)]
    for reply in SCRIPT[cut:]:
        expected = env.step(reply)
        for twin in twins:
            assert twin.step(reply) == expected
    restore(env, data)
    restore(twins[0], data)
    for reply in SCRIPT[cut:]:
        assert env.step(reply) == twins[0].step(reply)


def test_a_snapshot_is_of_these_tools_and_options() -> None:
    env = started(make(PythonTool()))
    data = snapshot(env)
    restore(make(PythonTool()), data)
    for other in (make(PythonTool(timeout_s=9)), make(Look()), make(PythonTool(), call_reward=1.0)):
        with pytest.raises(SnapshotMismatch, match="stack"):
            restore(other, data)


def test_what_lives_in_a_tool_cannot_be_in_a_snapshot() -> None:
    env = started(make(Tally()))
    snapshot(env)
    env.step(asked("tally"))
    with pytest.raises(SnapshotUnsupported, match="the tool 'tally' keeps something that lives"):
        snapshot(env)
    env.reset()
    snapshot(env)


def test_the_spec_makes_the_wrapper_again() -> None:
    gym.register("test/Sum-v0", "tests.wrappers.toy_task:SumEnv")
    env = ToolUse(gym.make("test/Sum-v0"), ["python"], preset="python", max_tool_uses=3)
    assert env.spec is not None
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert again.reset(seed=1) == env.reset(seed=1)
    assert isinstance(again, ToolUse)
    assert isinstance(again, RecordConstructorArgs)
    assert again._saved_kwargs == env._saved_kwargs
    del gym.registry["test/Sum-v0"]


# -- construction --------------------------------------------------------------------------------
class Odd(Tool):
    """A tool with a name or schema of the test's."""

    description = "Odd."

    def __init__(self, name: str, parameters: dict[str, Any] | None = None) -> None:
        self.name = name
        self.parameters = {"type": "object"} if parameters is None else parameters

    def run(self, call: Call, deadline: float) -> ToolResult:
        raise AssertionError("never run")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ConfigError, r"need at least one tool, and each name once; got \[\]"),
        ({"tools": [Look(), Look()]}, ConfigError, r"each name once; got \['look', 'look'\]"),
        ({"tools": ["pyton"]}, UnknownName, "unknown tool 'pyton'; did you mean 'python'"),
        ({"tools": [3]}, ConfigError, "a tool must be a Tool or a name, got 3"),
        ({"tools": [Odd("a b")]}, ConfigError, "a tool's name must be letters.*got 'a b'"),
        ({"tools": [Odd("a", {})]}, ConfigError, "a schema of type 'object', got 'a' and {}"),
        ({"preset": "pyhton"}, UnknownName, "unknown preset 'pyhton'; did you mean 'python'"),
        ({"preset": "search"}, ConfigError, "need at least one tool"),
        ({"tools": [Look()], "max_tool_uses": 0}, ConfigError, "max_tool_uses must be at least 1"),
        ({"tools": [Look()], "call_timeout_s": 0}, ConfigError, "call_timeout_s above 0"),
        ({"tools": [Look()], "error_reward": 0.1}, ConfigError, "error_reward at most 0, got"),
    ],
)
def test_an_option_that_is_refused_says_the_rule_and_the_value(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ToolUse(SumEnv(), **options)


def test_one_tool_or_name_needs_no_list() -> None:
    assert ToolUse(SumEnv(), "python").tools == [PythonTool()]
    assert ToolUse(SumEnv(), PythonTool()).tools == [PythonTool()]


def test_a_second_wrapper_and_an_env_without_texts_are_refused() -> None:
    with pytest.raises(ConfigError, match="has a ToolUse already"):
        ToolUse(TimeLimit(make(), 3), [Look()])
    with pytest.raises(ConfigError, match="ToolUse needs text observations, got Box"):
        ToolUse(gym.make("CartPole-v1"), [Look()])  # type: ignore[arg-type]
