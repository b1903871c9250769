"""History with long and hostile texts: none outgrows its bound, and what is dropped is said."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gem_gymnasium import MAX_CHARS
from gem_gymnasium.testing.hostile import HOSTILE_STRINGS
from gem_gymnasium.wrappers import History
from tests.wrappers.history_play import (
    MASTERMIND,
    Parrot,
    contents,
    lines,
    played,
    roles,
)


@pytest.mark.parametrize("layout", ["text", "messages"])
def test_a_long_reply_loses_its_middle_and_keeps_both_ends(layout: Any) -> None:
    env = History(gym.make(MASTERMIND), layout, max_reply_chars=105)
    reply = "start" + "x" * 5_000 + "\\boxed{1 2}"
    observation, info = played(env, (reply,))
    assert info["event"] == "answered" or info["legal"]  # the env got all of it
    kept = f"start{'x' * 45} ... {'x' * 39}\\boxed{{1 2}}"
    assert len(kept) == 105
    assert f"\nYou: {kept}\n" in observation
    if layout == "messages":
        assert contents(info)[1] == kept


@pytest.mark.parametrize("chars", [1, 5, 6, 7, 8, 20])
def test_no_shown_reply_is_longer_than_asked_for(chars: int) -> None:
    env = History(Parrot(cut=1), "messages", max_reply_chars=chars)
    _, info = played(env, ("abcdefghij" * 5,))
    assert len(contents(info)[1]) <= chars
    assert contents(info)[1][0] == "a"


def test_surrogates_are_replaced_wherever_they_come_from() -> None:
    env = History(Parrot("rules \udc00", "board \ud83d"), "messages")
    observation, info = played(env, ("a\ud800\udc00b",))
    assert contents(info) == ["rules ?\nboard ?", "a??b", "a??b\nboard ?"]
    assert observation.encode("utf-8")
    env = History(Parrot("rules", "board \ud83d"))
    assert played(env, ("a",))[0] == lines("rules", "You: a", "a", "board ?")


def test_the_oldest_turns_are_dropped_beyond_the_bound_and_the_text_says_so() -> None:
    env = History(Parrot("rules", "board", cut=3), max_chars=600)
    observation, _ = env.reset(seed=0)
    for turn in range(40):
        observation, *_ = env.step(f"{turn:03}" + "x" * 50)
        assert len(observation) <= 600
    head, note, *rest = observation.split("\n")
    assert (head, rest[-1]) == ("rules", "board")
    kept = [line for line in rest[:-1] if line.startswith("You: ")]
    assert 4 < len(kept) < 10
    assert note == f"[{40 - len(kept)} earlier turns left out]"
    assert kept[-1].startswith("You: 039")
    assert rest[-2] == "039"


@pytest.mark.parametrize("layout", ["text", "messages"])
def test_a_reply_too_long_for_the_bound_is_left_out_and_its_feedback_shown(layout: Any) -> None:
    env = History(Parrot("rules", "board", cut=9), layout, max_chars=200)
    observation, info = played(env, ("short", "long long " * 20))
    assert observation == (
        lines("rules", "board", "[2 earlier turns left out]", "long long", "board")
        if layout == "messages"
        else lines("rules", "[2 earlier turns left out]", "long long", "board")
    )
    if layout == "messages":
        assert contents(info) == [observation]


def test_an_older_turn_is_never_shown_without_those_after_it() -> None:
    env = History(Parrot("rules", "board", cut=5), max_chars=200)
    observation, _ = played(env, ("old", "long!" * 20, "new"))
    note = "[2 earlier turns left out]"
    assert observation == lines("rules", note, "You: new", "new", "board")


@pytest.mark.parametrize(
    ("options", "view", "reply", "max_chars"),
    [
        ({}, "b" * 100, "", 310),
        ({"views": "none"}, "b" * 100, "", 210),
        ({"replies": False}, "b", "x" * 90, 130),
    ],
)
def test_what_is_not_shown_takes_no_room(
    options: dict[str, Any], view: str, reply: str, max_chars: int
) -> None:
    env = History(Parrot("rules", view, cut=2), max_chars=max_chars, **options)
    observation, _ = played(env, [f"{n:02}{reply}" for n in range(11)])
    assert "left out" not in observation
    assert "\n00\n" in observation


def test_rules_longer_than_the_bound_keep_their_ends() -> None:
    env = History(Parrot("first" + "r" * 500 + "last"), max_chars=101)
    observation, _ = env.reset(seed=0)
    assert observation.startswith("first")
    assert observation.endswith("last")
    assert " ... " in observation
    assert 90 < len(observation) <= 101


texts = st.one_of(
    st.sampled_from(HOSTILE_STRINGS),
    st.text(max_size=40),
    st.text(st.characters(categories=["Cs", "Cc", "Lu"]), max_size=20),
    st.integers(0, 3_000).map(lambda n: "y" * n),
)
options = st.one_of(
    st.fixed_dictionaries(
        {
            "layout": st.just("text"),
            "replies": st.booleans(),
            "views": st.sampled_from([None, "last", "all", "none"]),
        }
    ),
    st.fixed_dictionaries(
        {"layout": st.just("messages"), "views": st.sampled_from([None, "all", "none"])}
    ),
)


@settings(max_examples=400)
@given(
    options=options,
    turns=st.one_of(st.none(), st.integers(0, 4)),
    max_chars=st.one_of(st.integers(1, 100), st.integers(100, 1_500), st.just(MAX_CHARS)),
    max_reply_chars=st.one_of(st.integers(1, 30), st.just(2_000)),
    rules=texts,
    view=st.one_of(st.none(), texts),
    replies=st.lists(texts, max_size=8),
)
def test_no_text_outgrows_the_bound(
    options: dict[str, Any],
    turns: int | None,
    max_chars: int,
    max_reply_chars: int,
    rules: str,
    view: str | None,
    replies: list[str],
) -> None:
    env = History(
        Parrot(rules, view),
        **options,
        turns=turns,
        max_chars=max_chars,
        max_reply_chars=max_reply_chars,
    )
    observation, info = env.reset(seed=0)
    for reply in (None, *replies):
        if reply is not None:
            observation, *_, info = env.step(reply)
        assert len(observation) <= max_chars
        assert observation in env.observation_space
        observation.encode("utf-8")
        if env.layout == "messages":
            assert sum(map(len, contents(info))) <= max_chars
            assert len(info["messages"]) % 2 == 1
            assert (
                roles(info)
                == (["user", "assistant"] * len(replies) + ["user"])[: len(info["messages"])]
            )


@settings(max_examples=200)
@given(
    options=st.sampled_from(
        [
            {},
            {"views": "all"},
            {"views": "none"},
            {"layout": "messages"},
            {"layout": "messages", "views": "none"},
        ]
    ),
    turns=st.one_of(st.none(), st.integers(0, 3)),
    count=st.integers(1, 60),
    reply=st.sampled_from(["", "and much more of what a player may say"]),
    view=st.sampled_from(["", "board" * 30]),
    max_chars=st.integers(360, 900),
)
def test_rules_and_last_feedback_are_always_shown(
    options: dict[str, Any], turns: int | None, count: int, reply: str, view: str, max_chars: int
) -> None:
    board = "board" * 12
    parrot = Parrot("the rules", view, board, cut=9)
    env = History(parrot, **options, turns=turns, max_chars=max_chars)
    observation, info = played(env, [f"reply {turn:03}{reply}" for turn in range(count)])
    assert observation.startswith("the rules\n")
    last = f"\nreply {count - 1:03}"
    assert observation.endswith(last if env.views == "none" else f"{last}\n{board}")
    assert " ... " not in observation  # turns are dropped as a whole
    replies = observation.count("You: ")
    assert replies <= (count if turns is None else turns)
    assert ("left out]" in observation) == (replies < count)
    if replies < count:
        assert f"[{count - replies} earlier turn" in observation
    if env.layout == "messages":
        assert "\n".join(contents(info)) == observation.replace("You: ", "")
