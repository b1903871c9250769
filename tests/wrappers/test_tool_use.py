"""ToolUse: which replies are calls, what a tool turn is, budget and rewards, failures, copies."""

import time
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit

from gem_gymnasium import MAX_CHARS, UnicodeText
from gem_gymnasium.core.errors import (
    ConfigError,
    StepOutsideEpisode,
)
from gem_gymnasium.core.text_env import INFO_TYPES
from gem_gymnasium.tools import Call, PythonTool, ToolResult
from gem_gymnasium.wrappers import ToolUse
from gem_gymnasium.wrappers.tool_use import LAST_USE, PRESETS
from tests.helpers import boxed
from tests.tools.echoes import Add, Look, Tally, asked
from tests.wrappers.toy_task import SumEnv, answer, make, started

OWN = {
    "tool": str, "tool_ok": bool, "tool_status": str, "tool_uses": int, "tool_successes": int,
    "sandbox": str,
}  # fmt: skip


def counts(info: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(info[key] for key in ("tool", "tool_ok", "tool_status", "tool_uses"))


# -- a task of one turn with two tools -----------------------------------------------------------
def test_each_call_s_output_is_seen_failures_go_on_and_the_answer_is_graded() -> None:
    env = started(make())
    seen: list[tuple[str, str, bool]] = []
    for reply in (
        asked("add", a=1, b=2),
        "<look>missing</look>",
        asked("add", a=1, b="2"),
        "<look>sum</look>",
    ):
        observation, reward, terminated, truncated, info = env.step(reply)
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert observation == f"{info['feedback']}\n{info['view']}"
        seen.append((info["tool"], info["feedback"], info["tool_ok"]))
    assert seen == [
        ("add", "Tool add, use 1 of 10:\n3", True),
        ("look", "Tool look, use 2 of 10, failed:\nThere is no such word.", False),
        (
            "add",
            "Tool add, use 3 of 10, failed:\n"
            "The call does not fit the tool: 'b' must be an integer, not '2'.",
            False,
        ),
        ("look", "Tool look, use 4 of 10:\nsum is a word.", True),
    ]
    _, reward, terminated, truncated, info = env.step(answer(env))
    assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, True)


@pytest.mark.parametrize("order", [1, -1])
def test_a_failing_call_of_either_tool_is_not_passed_on(order: int) -> None:
    env = started(make(*[Add(), Look()][::order]))
    for reply in (
        "<look>missing</look>",
        asked("add"),
        asked("ad", a=1),
        "<tool_call>x</tool_call>",
    ):
        *_, terminated, truncated, info = env.step(reply)
        assert (terminated, truncated, info["event"], info["turn"]) == (False, False, "tool", 0)
        assert not info["tool_ok"]


def test_a_reply_without_a_call_is_the_env_s_and_comes_back_unchanged() -> None:
    env, plain = started(make(max_turns=3)), SumEnv(max_turns=3)
    plain.reset(seed=0)
    for off in (1, 2):
        mine, theirs = env.step(answer(env, off)), plain.step(answer(plain, off))
        assert mine[:4] == theirs[:4]
        assert {key: mine[4][key] for key in theirs[4]} == theirs[4]
    assert env.step("nonsense")[1:3] == (-0.1, True)


def test_a_call_beside_an_answer_is_run_and_the_answer_passed_over() -> None:
    env = started(make())
    *_, terminated, _, info = env.step(f"{answer(env)} {asked('add', a=1, b=1)}")
    assert (terminated, info["tool"]) == (False, "add")


def test_a_reply_over_the_limit_is_the_env_s_to_refuse() -> None:
    env = started(make(max_turns=2))
    info = env.step("<look>word</look>" + " " * MAX_CHARS)[4]
    assert (info["event"], info["tool"]) == ("malformed", "")
    with pytest.raises(ConfigError, match="an action must be a str"):
        started(make()).step(3)  # type: ignore[arg-type]


def test_the_tools_stand_behind_the_rules_and_the_view_ends_the_observation() -> None:
    env = make(Look(), PythonTool(), max_tool_uses=4)
    observation, info = env.reset(seed=0)
    plain, _ = SumEnv().reset(seed=0)
    rules = plain.removesuffix(f"\n{info['view']}")
    told = observation.removeprefix(f"{rules}\n").removesuffix(f"\n{info['view']}")
    head, look, python = told.split("\n- ")
    assert head.startswith("You may call a tool, 4 times in all.")
    assert '<tool_call>{"name": "...", "arguments": {...}}</tool_call>' in head
    assert look == Look().instructions()
    assert python == PythonTool().instructions()
    assert "You may call a tool, once. A reply" in make(max_tool_uses=1).reset(seed=0)[0]


def test_a_tool_without_words_of_its_own_shows_its_description_and_schema() -> None:
    text = Add().instructions()
    assert text.startswith("add: Add two integers. Arguments: {")
    assert '"required": ["a", "b"]' in text


# -- info ----------------------------------------------------------------------------------------
def test_info_has_the_same_keys_and_types_after_every_call() -> None:
    env = make(Look(), "python", max_turns=9)
    kinds = {**INFO_TYPES, **OWN}
    infos = [env.reset(seed=0)[1]]
    for reply in ("<look>a</look>", "<look>missing</look>", boxed(1), "<look>break</look>"):
        infos.append(env.step(reply)[4])
    infos.append(env.reset()[1])
    for info in infos:
        assert {key: type(value) for key, value in info.items()} == kinds


def test_counters_count_and_start_again() -> None:
    env = make(max_turns=9)
    for _ in range(2):
        assert counts(env.reset(seed=0)[1]) == ("", False, "", 0)
        assert counts(env.step("<look>a</look>")[4]) == ("look", True, "ok", 1)
        assert counts(env.step("<look>missing</look>")[4]) == ("look", False, "error", 2)
        assert counts(env.step(asked("loo"))[4]) == ("?", False, "bad_call", 3)
        info = env.step(answer(env, 1))[4]
        assert counts(info) == ("", False, "", 3)
        assert (info["tool_successes"], info["sandbox"]) == (1, "somewhere")


def test_what_a_reader_does_to_info_changes_nothing_later() -> None:
    env, quiet = started(make(max_turns=9)), started(make(max_turns=9))
    for reply in ("<look>a</look>", answer(env, 1), "<look>b</look>", answer(env)):
        info = env.step(reply)[4]
        assert info == quiet.step(reply)[4]
        info.clear()


def test_the_env_s_own_keys_stand_still_on_a_tool_turn() -> None:
    env = started(make(max_turns=3))
    before = env.step(answer(env, 1))[4]
    info = env.step("<look>a</look>")[4]
    changed = {key for key in info if info[key] != before[key]}
    assert changed == {
        "event", "feedback", "tool", "tool_ok", "tool_status", "tool_uses", "tool_successes",
        "sandbox",
    }  # fmt: skip


def test_an_env_with_an_info_of_its_own_keeps_its_keys() -> None:
    class Bare(gym.Env[str, str]):
        observation_space = action_space = UnicodeText()

        def reset(self, **_: Any) -> tuple[str, dict[str, Any]]:
            return "Say yes.", {"hint": "yes"}

        def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
            return "Good.", 1.0, True, False, {"hint": "done"}

    env = ToolUse(Bare(), [Look()])
    observation, info = env.reset()
    assert observation.startswith("Say yes.\nYou may call")
    assert info.keys() == {"hint", *OWN}
    observation, *_, info = env.step("<look>yes</look>")
    assert observation == "Tool look, use 1 of 10:\nyes is a word."
    assert info.keys() == {"hint", *OWN}
    assert env.step("yes")[:3] == ("Good.", 1.0, True)


# -- budget and rewards --------------------------------------------------------------------------
def test_after_the_last_use_replies_go_to_the_env() -> None:
    env = started(make(max_tool_uses=2))
    assert LAST_USE not in env.step("<look>a</look>")[0]
    *_, info = env.step("<look>missing</look>")
    assert info["feedback"].endswith(f"\nThere is no such word.\n{LAST_USE}")
    _, reward, terminated, _, info = env.step("<look>a</look>")
    assert (reward, terminated, info["event"], info["tool_uses"]) == (-0.1, True, "malformed", 2)


@pytest.mark.parametrize(
    ("options", "good", "bad"),
    [
        ({}, 0.0, 0.0),
        ({"call_reward": 0.1}, 0.1, 0.1),
        ({"success_reward": 0.2}, 0.2, 0.0),
        ({"error_reward": -0.3}, 0.0, -0.3),
        ({"call_reward": 0.1, "success_reward": 0.2, "error_reward": -0.4}, 0.3, -0.3),
        ({"preset": "python", "tools": [Look()]}, 0.3, 0.05),
        ({"preset": "python_no_reward", "tools": [Look()]}, 0.0, 0.0),
        ({"preset": "search", "tools": [Look()]}, 0.3, 0.3),
        ({"preset": "search_no_reward", "tools": [Look()]}, 0.0, 0.0),
        ({"preset": "search", "tools": [Look()], "call_reward": 0.0}, 0.0, 0.0),
    ],
)
def test_calls_pay_what_is_asked_for(options: dict[str, Any], good: float, bad: float) -> None:
    env = started(ToolUse(SumEnv(), **{"tools": [Look()], **options}))
    assert env.step("<look>a</look>")[1] == pytest.approx(good)
    assert env.step("<look>missing</look>")[1] == pytest.approx(bad)
    assert env.step(asked("nothing"))[1] == pytest.approx(bad)
    assert env.step(answer(env))[1] == 1.0


def test_presets_have_gem_s_numbers_and_tools() -> None:
    for name in PRESETS:
        tools = None if PRESETS[name].tools else [Look()]
        env = ToolUse(SumEnv(), tools, preset=name)
        assert env.max_tool_uses == 5
        assert [tool.name for tool in env.tools] == ["look" if tools else "python"]
    assert ToolUse(SumEnv(), preset="python").tools == [PythonTool()]
    (last_line,) = ToolUse(SumEnv(), preset="python_no_reward_last_line").tools
    assert last_line == PythonTool(error_lines=1)
    assert ToolUse(SumEnv(), preset="python", max_tool_uses=7).max_tool_uses == 7


# -- episodes ------------------------------------------------------------------------------------
def test_a_step_outside_an_episode_raises() -> None:
    env = make()
    for reply in ("<look>a</look>", "\\boxed{1}"):
        with pytest.raises(StepOutsideEpisode):
            env.step(reply)
    env.reset(seed=0)
    env.step("\\boxed{1}")
    for reply in ("<look>a</look>", "\\boxed{1}"):
        with pytest.raises(StepOutsideEpisode):
            env.step(reply)


@pytest.mark.parametrize(
    ("word", "error", "stop"),
    [
        ("break", "ToolFailure: the index is gone", "tool"),
        ("hang", "StepTimeout: the index did not answer", "timeout"),
    ],
)
def test_a_failure_of_the_machinery_makes_the_step_invalid(
    word: str, error: str, stop: str
) -> None:
    env = started(make(max_turns=3, call_reward=0.5))
    good, *_, before = env.step("<look>a</look>")
    observation, reward, terminated, truncated, info = env.step(f"<look>{word}</look>")
    assert (observation, reward, terminated, truncated) == (good, 0.0, False, True)
    assert (info["valid"], info["error"], info["stop"]) == (False, error, stop)
    assert (info["event"], info["feedback"], info["view"]) == ("failed", "", before["view"])
    assert counts(info) == ("", False, "", 1)
    with pytest.raises(StepOutsideEpisode):
        env.step(answer(env))
    env.reset(seed=0)
    assert env.step(answer(env))[4]["success"]


def test_a_call_has_a_deadline() -> None:
    look = Look()
    env = started(make(look, call_timeout_s=7.5))
    before = time.monotonic()
    env.step("<look>a</look>")
    assert before + 7.5 <= look.deadlines[0] <= time.monotonic() + 7.5


def test_time_limits_count_what_they_wrap() -> None:
    inside = ToolUse(TimeLimit(SumEnv(max_turns=9), 2), [Look()])
    inside.reset(seed=0)
    assert [inside.step(reply)[3] for reply in ("<look>a</look>", "\\boxed{1}", "\\boxed{1}")] == [
        False, False, True,
    ]  # fmt: skip
    outside = TimeLimit(ToolUse(SumEnv(max_turns=9), [Look()]), 2)
    outside.reset(seed=0)
    assert [outside.step(reply)[3] for reply in ("<look>a</look>", "<look>a</look>")] == [
        False, True,
    ]  # fmt: skip
    inner = RecordEpisodeStatistics(SumEnv(), stats_key="inner")
    both = RecordEpisodeStatistics(ToolUse(inner, [Look()], call_reward=0.25), stats_key="outer")
    both.reset(seed=0)
    both.step("<look>a</look>")
    info = both.step(answer(both))[4]
    assert {key: (info[key]["l"], info[key]["r"]) for key in ("inner", "outer")} == {
        "inner": (1, 1.0),
        "outer": (2, 1.25),
    }


def test_runners_of_an_episode_are_closed_at_its_end_at_a_reset_and_with_the_env() -> None:
    tally = Tally()
    env = make(tally, max_turns=2)
    assert (tally.opened, tally.closed) == (0, 0)
    env.reset(seed=0)
    assert env.step(asked("tally"))[4]["feedback"].endswith("\ncall 1")
    assert env.step(asked("tally"))[4]["feedback"].endswith("\ncall 2")
    env.reset()
    assert (tally.opened, tally.closed) == (2, 1)
    assert env.step(asked("tally"))[4]["feedback"].endswith("\ncall 1")
    env.step(answer(env))  # ends the episode
    assert (tally.opened, tally.closed) == (2, 2)
    env.reset()
    env.close()
    env.close()
    assert (tally.opened, tally.closed) == (3, 3)


def test_envs_that_share_a_tool_share_no_episode() -> None:
    tally = Tally()
    one, other = started(make(tally)), started(make(tally))
    for count in (1, 2, 3):
        for env in (one, other):
            assert env.step(asked("tally"))[4]["feedback"].endswith(f"\ncall {count}")


# -- hostile texts -------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["x" * 200_000, "\ud800", "", "\x00", "y" * MAX_CHARS])
def test_no_output_of_a_tool_breaks_the_observation(text: str) -> None:
    class Loud(Look):
        def run(self, call: Call, deadline: float) -> ToolResult:
            return ToolResult(True, text)

    env = started(make(Loud(), max_tool_uses=1))
    observation, *_, info = env.step("<look>a</look>")
    assert observation in env.observation_space
    assert observation == f"{info['feedback']}\n{info['view']}"
    assert observation.endswith(f"{LAST_USE}\n{info['view']}")
    observation.encode("utf-8")


def test_rules_too_long_to_stand_before_the_tools_keep_their_ends() -> None:
    class Long(SumEnv):
        @staticmethod
        def rules(config: Any, /) -> str:
            return "first" + "r" * (MAX_CHARS - 100)

    observation, info = ToolUse(Long(), [Look()]).reset(seed=0)
    assert len(observation) <= MAX_CHARS
    assert observation.startswith("first")
    assert observation.endswith(f"{Look().instructions()}\n{info['view']}")
