"""History: what is shown of the past, in both layouts."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils import RecordConstructorArgs
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import TimeLimit

from gem_gymnasium import MAX_CHARS, ThreadVectorEnv, UnicodeText, restore, snapshot
from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.wrappers import History
from tests.helpers import boxed, episode, legal
from tests.wrappers.history_play import (
    FEEDBACKS,
    LEFT,
    MASTERMIND,
    REPLIES,
    RULES,
    SUDOKU,
    YOU,
    Parrot,
    contents,
    lines,
    played,
    roles,
    shown,
)


# -- the text layout -----------------------------------------------------------------------------
def test_a_text_is_the_rules_then_replies_with_feedback_then_the_newest_view() -> None:
    assert shown(()) == lines(RULES, LEFT[0])
    assert shown(REPLIES[:1]) == lines(RULES, YOU[0], FEEDBACKS[0], LEFT[1])
    turns = [text for turn in zip(YOU, FEEDBACKS, strict=True) for text in turn]
    assert shown() == lines(RULES, *turns, LEFT[3])


def test_a_new_episode_forgets_the_last() -> None:
    env = History(gym.make(MASTERMIND))
    played(env, REPLIES)
    assert env.reset(seed=0)[0] == lines(RULES, LEFT[0])
    assert env.step(REPLIES[0])[0] == lines(RULES, YOU[0], FEEDBACKS[0], LEFT[1])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"replies": False}, (RULES, *FEEDBACKS, LEFT[3])),
        ({"replies": False, "views": "none"}, (RULES, *FEEDBACKS)),
        (
            {"replies": False, "views": "all"},
            (RULES, LEFT[0], FEEDBACKS[0], LEFT[1], FEEDBACKS[1], LEFT[2], FEEDBACKS[2], LEFT[3]),
        ),
        (
            {"views": "all", "turns": 1},
            (RULES, LEFT[0], "[2 earlier turns left out]", YOU[2], FEEDBACKS[2], LEFT[3]),
        ),
        (
            {"turns": 2},
            (
                RULES,
                "[1 earlier turn left out]",
                YOU[1],
                FEEDBACKS[1],
                YOU[2],
                FEEDBACKS[2],
                LEFT[3],
            ),
        ),
        ({"turns": 0}, (RULES, "[3 earlier turns left out]", FEEDBACKS[2], LEFT[3])),
        (
            {"turns": 0, "views": "all"},
            (RULES, LEFT[0], "[3 earlier turns left out]", FEEDBACKS[2], LEFT[3]),
        ),
        ({"turns": 0, "views": "none"}, (RULES, "[3 earlier turns left out]", FEEDBACKS[2])),
    ],
)
def test_options_of_the_text_layout(options: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert shown(**options) == lines(*expected)


@pytest.mark.parametrize("turns", [3, 4, None])
def test_turns_that_are_all_remembered_leave_no_note(turns: int | None) -> None:
    assert shown(turns=turns) == shown()


def test_a_board_is_shown_once_and_as_it_is_now() -> None:
    env = History(gym.make(SUDOKU))
    _, info = env.reset(seed=2)
    first = info["view"]
    observation, *_, info = env.step(boxed("4 3 3"))
    assert info["event"] == "placed"
    assert first not in observation
    assert observation.endswith("\nPlaced 3 at row 4, column 3.\n" + info["view"])


@pytest.mark.parametrize("layout", ["text", "messages"])
def test_an_env_without_a_view_shows_its_whole_observations(layout: Any) -> None:
    observation, info = played(History(Parrot(), layout), ("a", "b"))
    assert observation == lines("rules", "You: a", "a", "You: b", "b")
    if layout == "messages":
        assert contents(info) == ["rules", "a", "a", "b", "b"]


def test_a_view_that_does_not_end_the_observation_is_not_cut_out_of_it() -> None:
    class Loose(Parrot):
        def _answer(self, text: str, view: str | None) -> tuple[str, dict[str, Any]]:
            return f"{text} board seen", {"view": "board"}

    expected = lines("rules board seen", "You: a", "a board seen")
    assert played(History(Loose()), ("a",))[0] == expected


def test_an_observation_that_is_all_view_is_shown_once() -> None:
    assert played(History(Parrot("", "board")), ())[0] == "board"
    assert played(History(Parrot("", "board")), ("",))[0] == "You: \nboard"


def test_rewards_flags_and_info_are_the_envs_own() -> None:
    plain = episode(gym.make(SUDOKU), legal(3), seed=3)
    wrapped = episode(History(gym.make(SUDOKU)), legal(3), seed=3)
    assert [call[1][1:] for call in plain] == [call[1][1:] for call in wrapped]


# -- the messages layout -------------------------------------------------------------------------
def test_messages_are_observations_and_replies_in_turn() -> None:
    observation, info = played(History(gym.make(MASTERMIND), "messages"), REPLIES)
    assert roles(info) == ["user", "assistant"] * 3 + ["user"]
    assert contents(info) == [
        lines(RULES, LEFT[0]),
        REPLIES[0],
        lines(FEEDBACKS[0], LEFT[1]),
        REPLIES[1],
        lines(FEEDBACKS[1], LEFT[2]),
        REPLIES[2],
        lines(FEEDBACKS[2], LEFT[3]),
    ]
    assert observation == shown(views="all")


def test_messages_without_views() -> None:
    _, info = played(History(gym.make(MASTERMIND), "messages", views="none"), REPLIES[:1])
    assert contents(info) == [RULES, REPLIES[0], FEEDBACKS[0]]


def test_the_text_layout_gives_no_messages() -> None:
    assert "messages" not in played(History(gym.make(MASTERMIND)), REPLIES)[1]


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (1, [lines(RULES, LEFT[0], "[2 earlier turns left out]"), REPLIES[2],
             lines(FEEDBACKS[2], LEFT[3])]),
        (0, [lines(RULES, LEFT[0], "[3 earlier turns left out]", FEEDBACKS[2], LEFT[3])]),
    ],
)  # fmt: skip
def test_messages_keep_rules_note_and_last_feedback_where_turns_are_dropped(
    turns: int, expected: list[str]
) -> None:
    _, info = played(History(gym.make(MASTERMIND), "messages", turns=turns), REPLIES)
    assert contents(info) == expected


@pytest.mark.parametrize("id", [MASTERMIND, SUDOKU, "gem/GuessTheNumber-v0"])
def test_each_prompt_extends_the_one_before(id: str) -> None:
    env = History(gym.make(id), "messages")
    calls = episode(env, legal(7), seed=1)
    assert len(calls) > 2
    before: list[dict[str, str]] = []
    for action, (*_, info) in calls:
        messages = info["messages"]
        assert messages[: len(before)] == before
        assert [message["role"] for message in messages[len(before) :]] == (
            ["assistant", "user"] if before else ["user"]
        )
        if before:
            assert messages[-2]["content"] == action
        before = messages


def test_prompts_extend_each_other_until_turns_are_dropped() -> None:
    env = History(gym.make(MASTERMIND), "messages", turns=2)
    _, info = env.reset(seed=0)
    first = [contents(info)]
    for reply in REPLIES:
        *_, info = env.step(reply)
        first.append(contents(info))
    assert first[2][:3] == first[1]
    assert first[3][1:] == [
        REPLIES[1],
        lines(FEEDBACKS[1], LEFT[2]),
        REPLIES[2],
        lines(FEEDBACKS[2], LEFT[3]),
    ]


def test_a_message_that_is_changed_by_its_reader_changes_nothing_later() -> None:
    quiet = History(gym.make(MASTERMIND), "messages")
    _, expected = played(quiet, REPLIES)
    env = History(gym.make(MASTERMIND), "messages")
    _, info = env.reset(seed=0)
    seen = []
    for reply in REPLIES:
        seen.append(info["messages"])
        for message in info["messages"]:
            message["content"] += " (read)"
        info["messages"].append({"role": "system", "content": "obey"})
        kept = copy.deepcopy(seen)
        *_, info = env.step(reply)
        assert seen == kept
    assert info["messages"] == expected["messages"]


# -- construction --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "chat"}, r"layout must be 'text' or 'messages', got 'chat'"),
        ({"views": "first"}, r"views must be 'last', 'all' or 'none', got 'first'"),
        ({"views": ""}, r"views must be .*, got ''"),
        ({"layout": "messages", "views": "last"}, r"only appends.*views='last'"),
        ({"layout": "messages", "replies": False}, r"only appends.*replies=False"),
        ({"turns": -1}, r"turns must be None or at least 0, got -1"),
        ({"max_reply_chars": 0}, r"max_reply_chars must be at least 1 .*got 0 and 65536"),
        ({"max_chars": 0}, r"max_chars in 1\.\.65536, got 2000 and 0"),
        ({"max_chars": MAX_CHARS + 1}, r"max_chars in 1\.\.65536, got 2000 and 65537"),
    ],
)
def test_an_option_that_is_refused_says_the_rule_and_the_value(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        History(gym.make(MASTERMIND), **options)


def test_an_env_whose_observations_are_no_texts_is_refused() -> None:
    class Pictured(Parrot):
        def __init__(self) -> None:
            super().__init__()
            image = gym.spaces.Box(0, 255, (2, 2, 3), "uint8")
            self.observation_space = gym.spaces.Dict(text=UnicodeText(), image=image)

    with pytest.raises(
        ConfigError, match=r"needs text observations, got Dict\('text': UnicodeText"
    ):
        History(Pictured())


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"layout": "messages", "views": "none", "turns": 1},
        {"replies": False, "max_chars": 300, "max_reply_chars": 20},
    ],
)
def test_the_spec_makes_the_wrapper_again(options: dict[str, Any]) -> None:
    env = History(gym.make(MASTERMIND), **options)
    assert isinstance(env, RecordConstructorArgs)
    assert env.spec is not None
    again = gym.make(env.spec)
    assert isinstance(again, History)
    assert played(again, REPLIES) == played(env, REPLIES)


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
@pytest.mark.parametrize("layout", ["text", "messages"])
def test_gymnasiums_own_checker_passes(layout: Any) -> None:
    check_env(History(gym.make(SUDOKU).unwrapped, layout), skip_render_check=True)


def test_a_snapshot_keeps_the_remembered_turns() -> None:
    env = History(Parrot("r\ud800\udc00", "v\udfff"), "messages", turns=2)
    played(env, ("a\ud800\udc00", "\x00", "b"))
    data = snapshot(env)
    twin = History(Parrot("r\ud800\udc00", "v\udfff"), "messages", turns=2)
    restore(twin, data)
    assert twin.step("c") == env.step("c")
    twin.reset()
    assert twin.step("c") == (env.reset(), env.step("c"))[1]


# -- vector envs ---------------------------------------------------------------------------------
def build() -> gym.Env[str, str]:
    return History(TimeLimit(gym.make(MASTERMIND), 4), "messages", turns=2)


VECTORS: dict[str, Callable[[list[Any]], VectorEnv[Any, Any, Any]]] = {
    "sync": SyncVectorEnv,
    "async, shared memory": lambda fns: AsyncVectorEnv(fns, shared_memory=True),
    "async": lambda fns: AsyncVectorEnv(fns, shared_memory=False),
    "thread": ThreadVectorEnv,
}


@pytest.mark.parametrize("kind", VECTORS)
def test_every_vector_env_shows_what_a_single_env_does(kind: str) -> None:
    singles = [build() for _ in range(2)]
    vector = VECTORS[kind]([build] * 2)
    try:
        observations, infos = vector.reset(seed=[5, 6])
        expected = [env.reset(seed=seed) for env, seed in zip(singles, (5, 6), strict=True)]
        for turn in range(4):
            assert tuple(observations) == tuple(single[0] for single in expected)
            assert list(infos["messages"]) == [single[-1]["messages"] for single in expected]
            actions = [f"é■ {env} {boxed(f'{turn + 1} 6')}" for env in range(2)]
            observations, *_, infos = vector.step(actions)
            expected = [env.step(action) for env, action in zip(singles, actions, strict=True)]
        assert tuple(observations) == tuple(single[0] for single in expected)
    finally:
        vector.close()
