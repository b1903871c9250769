"""Replies: what is a command, what is the end, what is neither."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.terminal.actions import Action, parse, write


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("<bash>ls</bash>", Action("ls")),
        ("I look.\n<bash>\nls -l\ncat a\n</bash> Then <submit/>.", Action("ls -l\ncat a")),
        ("<submit/> or rather <bash>ls</bash>", Action("ls")),
        ("<bash>one</bash><bash>two</bash>", Action("one")),
        ("<bash></bash>", Action("")),
        ("I am done: <submit/>", Action(None)),
        ("<submit />", Action(None)),
        ("<submit></submit>", Action(None)),
        ("<SUBMIT/>", Action(None)),
        ("<Submit>\n</Submit >", Action(None)),
        ("I could <submit> it.", None),
        ("<submitted/>", None),
        ("</submit>", None),
        ("<think>In the end <submit/>.</think> Hm.", None),
        ("<think>Maybe <bash>rm a</bash>.</think><bash>ls</bash>", Action("ls")),
        ("<think>Maybe <bash>rm a.</think> Done: <submit/>", Action(None)),
        ("<bash>a</bash></think><think><bash>b</bash></think><bash>c</bash>", Action("c")),
        ('<think><tool_call>{"name": "submit"}</tool_call></think>', None),
        ("\n<think>In the end <submit/>, but first", None),
        ("<think>Maybe <bash>rm a</bash>, or", None),
        ("<think>One.</think><think>Two: <bash>rm a</bash>", None),
        ("<bash>grep '<think>' a</bash>", Action("grep '<think>' a")),
        ('<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>', Action("ls")),
        (
            '<tool_call><tool_name>bash</tool_name><arguments>{"command": "ls"}</arguments>'
            "</tool_call>",
            Action("ls"),
        ),
        ('<tool_call>{"name": "submit", "arguments": {}}</tool_call>', Action(None)),
        ("ls", None),
        ("", None),
        ("submit", None),
        ("</bash>ls<bash", None),
    ],
)
def test_a_reply_is_read(reply: str, action: Action | None) -> None:
    assert parse(reply) == action


@given(text=st.text())
def test_reading_never_raises_and_takes_back_what_was_written(text: str) -> None:
    parse(text)
    parse(f"<bash>{text}")
    parse(f"<tool_call>{text}</tool_call>")
    command = text.strip().replace("\ud800", "")
    if "</bash>" not in command and not any(tag in command for tag in ("<tool_call>", "</think>")):
        assert parse(write(Action(command))) == Action(command)


@pytest.mark.parametrize(
    "part", ["<submit", "<submit ", "<submit/", "<submit>", "</think>", "<think>", " "]
)
def test_reading_takes_linear_time(part: str) -> None:
    start = time.monotonic()
    assert parse(part * 200_000) is None
    assert time.monotonic() - start < 1.0
