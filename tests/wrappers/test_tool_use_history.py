"""ToolUse and History in both orders: what each shows, as text and as messages."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import pytest

from gem_gymnasium import MAX_CHARS, restore, snapshot
from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.testing import check_text_env
from gem_gymnasium.wrappers import History, ToolUse
from gem_gymnasium.wrappers.tool_use import LAST_USE
from tests.helpers import assert_golden
from tests.tools.echoes import Add, Look, asked
from tests.wrappers.toy_task import SumEnv, answer

AnyEnv = gym.Env[Any, Any]
Stack = Callable[..., AnyEnv]


def under(layout: Any = "text", **options: Any) -> AnyEnv:
    """Return the stack in which tool turns are remembered."""
    return History(
        ToolUse(SumEnv(max_turns=2), [Add(), Look()], max_tool_uses=3), layout, **options
    )


def over(layout: Any = "text", **options: Any) -> AnyEnv:
    """Return the stack in which tool turns are scratch paper."""
    return ToolUse(
        History(SumEnv(max_turns=2), layout, **options), [Add(), Look()], max_tool_uses=3
    )


STACKS: dict[str, Stack] = {"under": under, "over": over}


def script(env: AnyEnv) -> list[str]:
    """Return an episode's replies: a failing call, a good one, a wrong answer, a call, the sum."""
    return [
        "<look>missing</look>",
        f"I add. {asked('add', a=1, b=2)} It will be 4.",
        answer(env, 1),
        asked("ad", a=1),
        answer(env),
    ]


def played(env: AnyEnv) -> list[tuple[str, str, dict[str, Any]]]:
    """Play the script; return (reply, observation, info) of each call."""
    observation, info = env.reset(seed=0)
    calls = [("", observation, info)]
    for reply in script(env):
        observation, *_, info = env.step(reply)
        calls.append((reply, observation, info))
    return calls


def golden(env: AnyEnv) -> str:
    """Return the episode as the text of a golden file: each prompt in full."""
    lines: list[str] = []
    for reply, observation, info in played(env):
        lines += [f"> {line}" for line in reply.splitlines()]
        prompt = info.get("messages", [{"role": "text", "content": observation}])
        for message in prompt:
            lines += [f"{message['role']:>9}| {line}" for line in message["content"].splitlines()]
        lines.append("")
    return "\n".join(lines)


@pytest.mark.parametrize("layout", ["text", "messages"])
@pytest.mark.parametrize("name", STACKS)
def test_the_episode_reads_as_it_did(name: str, layout: str) -> None:
    assert_golden(f"tool_use/{name}-history-{layout}", golden(STACKS[name](layout)))


# -- under a History: remembered -----------------------------------------------------------------
def test_what_a_tool_gave_is_a_tool_message_and_each_prompt_extends_the_one_before() -> None:
    before: list[dict[str, str]] = []
    for reply, _, info in played(under("messages")):
        messages = info["messages"]
        assert messages[: len(before)] == before
        added = messages[len(before) :]
        if before:
            role = "tool" if info["tool"] else "user"
            assert [message["role"] for message in added] == ["assistant", role]
            assert added[0]["content"] == reply
            assert added[1]["content"] == f"{info['feedback']}\n{info['view']}"
        before = messages
    roles = [message["role"] for message in before]
    assert roles == [
        "user", "assistant", "tool", "assistant", "tool", "assistant", "user", "assistant", "tool",
        "assistant", "user",
    ]  # fmt: skip


def test_a_template_that_knows_no_tools_gets_user_messages() -> None:
    *_, info = played(under("messages", tool_role="user"))[-1]
    assert {message["role"] for message in info["messages"]} == {"user", "assistant"}
    *_, info = played(over("messages", tool_role="user"))[2]
    assert [message["role"] for message in info["messages"]] == ["user", *["assistant", "user"] * 2]
    with pytest.raises(ConfigError, match="tool_role must be 'tool' or 'user', got 'system'"):
        under("messages", tool_role="system")


def test_dropped_turns_are_counted_with_those_of_tools() -> None:
    *_, info = played(under("messages", turns=1))[2]
    first, *others = info["messages"]
    assert "[1 earlier turn left out]" in first["content"]
    assert [message["role"] for message in others] == ["assistant", "tool"]
    assert others[1]["content"] == f"Tool add, use 2 of 3:\n3\n{info['view']}"


# -- over a History: scratch paper ---------------------------------------------------------------
def test_scratch_paper_stands_behind_the_env_s_last_answer_until_the_next() -> None:
    _, first, second, third, fourth, last = played(over("messages"))
    begin = first[2]["messages"][:1]
    assert first[2]["messages"][1:] == [
        {"role": "assistant", "content": first[0]},
        {"role": "tool", "content": first[2]["feedback"]},
    ]
    assert second[2]["messages"] == [
        *first[2]["messages"],
        {"role": "assistant", "content": second[0]},
        {"role": "tool", "content": second[2]["feedback"]},
    ]
    assert third[2]["messages"][:1] == begin
    assert [message["role"] for message in third[2]["messages"]] == ["user", "assistant", "user"]
    assert fourth[2]["messages"][:3] == third[2]["messages"]
    assert fourth[2]["messages"][-1]["content"].endswith(LAST_USE)
    assert [message["role"] for message in last[2]["messages"]] == [
        "user",
        *["assistant", "user"] * 2,
    ]


def test_the_instructions_stay_in_sight_over_a_history() -> None:
    for layout in ("text", "messages"):
        for _, observation, info in played(over(layout)):
            assert observation.count("You may call a tool, 3 times") == 1
            assert observation.endswith(info["view"])
            if layout == "messages":
                contents = [message["content"] for message in info["messages"]]
                assert "You may call a tool, 3 times" in contents[0]
                assert sum("You may call" in content for content in contents) == 1


def test_the_task_and_the_scratch_paper_stand_in_a_text_too() -> None:
    _, (_, first, _), (reply, second, info), (_, third, _), *_ = played(over())
    assert "Add two numbers." in second
    assert second == (
        f"{first.removesuffix(info['view'])}You: {reply}\n{info['feedback']}\n{info['view']}"
    )
    assert "Tool add" not in third
    assert "You: \\boxed{" in third


@pytest.mark.parametrize("layout", ["text", "messages"])
def test_a_failed_tool_repeats_the_last_prompt(layout: str) -> None:
    env = over(layout)
    env.reset(seed=0)
    good, *_, before = env.step("<look>word</look>")
    observation, *_, truncated, info = env.step("<look>break</look>")
    assert (observation, truncated, info["valid"]) == (good, True, False)
    assert info.get("messages") == before.get("messages")


# -- both ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("layout", ["text", "messages"])
@pytest.mark.parametrize("name", STACKS)
def test_messages_that_their_reader_changes_change_nothing_later(name: str, layout: str) -> None:
    quiet = played(STACKS[name](layout))
    env = STACKS[name](layout)
    observation, info = env.reset(seed=0)
    for reply, expected, expected_info in quiet:
        if reply:
            observation, *_, info = env.step(reply)
        assert (observation, info) == (expected, expected_info)
        for message in info.get("messages", []):
            message["content"] = "changed"
        info.clear()


@pytest.mark.parametrize("layout", ["text", "messages"])
@pytest.mark.parametrize("name", STACKS)
@pytest.mark.parametrize("cut", range(6))
def test_a_snapshot_goes_on_as_the_stack_does(name: str, layout: str, cut: int) -> None:
    env, twin = STACKS[name](layout), STACKS[name](layout)
    env.reset(seed=0)
    replies = script(env)
    for reply in replies[:cut]:
        env.step(reply)
    restore(twin, snapshot(env))
    for reply in replies[cut:]:
        assert twin.step(reply) == env.step(reply)


@pytest.mark.parametrize("layout", ["text", "messages"])
@pytest.mark.parametrize("name", STACKS)
def test_both_stacks_keep_every_promise(name: str, layout: str) -> None:
    check_text_env(lambda: STACKS[name](layout), skip=["wording"], steps=8, seeds=(0, 1))


@pytest.mark.parametrize("name", STACKS)
def test_no_text_outgrows_the_space(name: str) -> None:
    env = STACKS[name]("text", max_reply_chars=60_000)
    observation, _ = env.reset(seed=0)
    rules = observation[:20]
    for count in range(3):
        observation, *_, info = env.step(f"<look>{count}{'x' * 40_000}</look>")
        assert observation in env.observation_space
        assert len(observation) <= MAX_CHARS
        assert observation.startswith(rules)
        assert observation.endswith(info["view"])
