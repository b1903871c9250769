"""Replies: what is a command, what is the end, what is neither."""

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
    if "</bash>" not in command and "<tool_call>" not in command:
        assert parse(write(Action(command))) == Action(command)
