"""Calls in replies: both shared forms, whose call comes first, what a bad one is told, speed."""

import json
from time import thread_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.testing import HOSTILE_STRINGS
from gem_gymnasium.tools import Call, PythonTool, find_call
from tests.tools.echoes import Add, Look

TOOLS = (Add(), Look(), PythonTool())
SUM = {"a": 1, "b": 2}


def found(reply: str) -> Call:
    call = find_call(reply, TOOLS)
    assert call is not None
    assert 0 <= call.start < call.end <= len(reply)
    return call


def called(reply: str) -> tuple[str, dict[str, Any]]:
    call = found(reply)
    assert call.problem == ""
    return call.tool, call.arguments


# -- the forms -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "reply",
    [
        '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>',
        '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>',
        'I add.\n<tool_call>{"arguments": {"b": 2, "a": 1}, "name": "add"}</tool_call> Then?',
        '<tool_call>```json\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n```</tool_call>',
        '<tool_call>```\n{"name": "add", "arguments": {"a": 1, "b": 2}}```\n</tool_call>',
        "<tool_call>{'name': 'add', 'arguments': {'a': 1, 'b': 2,},}</tool_call>",
        '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2</tool_call>',
        '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}}}</tool_call>',
        '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}',
        '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}\n<tool_call>{"name": "x"}',
        '<tool_call>{"name": "add", "arguments": "{\\"a\\": 1, \\"b\\": 2}"}</tool_call>',
        '<tool_call>{"name": "add", "arguments": "{\'a\': 1, \'b\': 2} "}</tool_call>',
        '<tool_call>{"name": "add", "parameters": {"a": 1, "b": 2}}</tool_call>',
        '<tool_call>{"id": "1", "name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>',
        '<tool_call><tool_name>add</tool_name><arguments>{"a": 1, "b": 2}</arguments></tool_call>',
        "<tool_call>\n<tool_name> add </tool_name>\n<arguments>\n{'a': 1, 'b': 2\n</arguments>\n"
        "</tool_call>",
        '<tool_call><tool_name>add</tool_name><arguments>{"a": 1, "b": 2}</arguments>',
        'Say <tool_call> to call. <tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}'
        "</tool_call>",
    ],
)
def test_a_call_is_read_in_each_shared_form(reply: str) -> None:
    assert called(reply) == ("add", SUM)


@pytest.mark.parametrize(
    "reply",
    [
        '<tool_call>{"name": "look"}</tool_call>',
        '<tool_call>{"name": "look", "arguments": null}</tool_call>',
        '<tool_call>{"name": "look", "arguments": {}}</tool_call>',
        "<tool_call><tool_name>look</tool_name></tool_call>",
        "<tool_call><tool_name>look</tool_name><arguments></arguments></tool_call>",
        "<tool_call><tool_name>look</tool_name><arguments>\n</arguments></tool_call>",
    ],
)
def test_arguments_may_be_left_out(reply: str) -> None:
    assert called(reply) == ("look", {})


def test_a_call_ends_where_its_tag_ends() -> None:
    call = '<tool_call>{"name": "look", "arguments": {"word": "</tool_call>"}}</tool_call>'
    reply = f"First {call} and then {call}"
    assert found(reply) == Call(6, 6 + len(call), "look", {"word": "</tool_call>"})


@given(
    word=st.text(max_size=30),
    before=st.text(st.characters(exclude_characters="<`"), max_size=20),
    after=st.text(max_size=20),
)
def test_any_text_is_carried_in_both_forms(word: str, before: str, after: str) -> None:
    arguments = json.dumps({"word": word}, ensure_ascii=False)
    for inside in (
        f'{{"name": "look", "arguments": {arguments}}}',
        f"<tool_name>look</tool_name><arguments>{arguments}</arguments>",
    ):
        call = f"<tool_call>{inside}</tool_call>"
        expected = Call(len(before), len(before) + len(call), "look", {"word": word})
        assert find_call(before + call + after, TOOLS) == expected


# -- no call -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "reply",
    [
        "",
        "\\boxed{3}",
        "I could write <tool_call> here, but the answer is \\boxed{3}.",
        "<tool_call>",
        "</tool_call>",
        "</tool_call><tool_call>",
        "tool_call {'name': 'add'}",
        '{"name": "add", "arguments": {"a": 1, "b": 2}}',
        "<look>word",
        "</look>",
        "<python>print(1)",
        "```python\nprint(1)",
        "```js\nx\n```",
    ],
)
def test_what_only_looks_like_a_call_is_none(reply: str) -> None:
    assert find_call(reply, TOOLS) is None


# -- which call ----------------------------------------------------------------------------------
ADD = '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>'
LOOK = "<look>word</look>"
PYTHON = "<python>print(1)</python>"


@pytest.mark.parametrize(
    ("reply", "tool"),
    [
        (ADD + LOOK + PYTHON, "add"),
        (LOOK + ADD + PYTHON, "look"),
        (PYTHON + LOOK + ADD, "python"),
        (f"<tool_call>{{nonsense</tool_call>{LOOK}", ""),
        (f"{LOOK}<tool_call>{{nonsense</tool_call>", "look"),
        (f"<python>print('{ADD}')</python>", "python"),
        (f"<tool_call>{{'name': 'look', 'arguments': {{'word': '{PYTHON}'}}}}</tool_call>", "look"),
        (f"Speak of <tool_call>. {LOOK}", "look"),
    ],
)
def test_the_call_that_starts_first_is_the_one(reply: str, tool: str) -> None:
    for tools in (TOOLS, TOOLS[::-1]):
        call = find_call(reply, tools)
        assert call is not None
        assert call.tool == tool


# -- what a bad call is told ---------------------------------------------------------------------
@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (
            '<tool_call>{"name": "ad", "arguments": {}}</tool_call>',
            "There is no tool 'ad': did you mean 'add'?",
        ),
        (
            '<tool_call>{"name": "zzz"}</tool_call>',
            "There is no tool 'zzz': there is 'add', 'look', 'python'.",
        ),
        ("<tool_call>add 1 2</tool_call>", "between the tags there must be a JSON object: <tool_"),
        ("<tool_call></tool_call>", "between the tags there must be a JSON object"),
        ('<tool_call>{"name": "add"', "line 1, column 15: the text breaks off before '}'"),
        ('<tool_call>{"name": "add", "arguments": {"a": 1', "the text breaks off before '}'"),
        ('<tool_call>{"name": "look", "arguments": {"word": "x</tool_call>', "never ends"),
        ("<tool_call>{}</tool_call>", 'it must be an object whose "name" is a string'),
        ('<tool_call>{"name": 3}</tool_call>', 'it must be an object whose "name" is a string'),
        ("<tool_call>```\n[]\n```</tool_call>", 'it must be an object whose "name" is a string'),
        ('<tool_call>{"name": "add", "args": {}}</tool_call>', 'it has no "arguments", but \'arg'),
        ('<tool_call>{"name": "add", "arguments": [1]}</tool_call>', '"arguments" must be an obje'),
        ('<tool_call>{"name": "add", "arguments": "1 2"}</tool_call>', '"arguments" must be an o'),
        (
            '<tool_call>{"name": "add"}, "arguments": {}}</tool_call>',
            "column 16: expected </tool_call> after the object",
        ),
        ('<tool_call>{"name": "add"} and so on', "expected </tool_call> after the object"),
        ("<tool_call><tool_name>add</tool_call>", "<tool_name> is never closed by </tool_name>"),
        (
            "<tool_call><tool_name>add</tool_name><arguments>{nonsense</arguments></tool_call>",
            "<arguments>: line 1, column 10: expected ':' after a key",
        ),
        (
            "<tool_call><tool_name>add</tool_name><arguments>1</arguments></tool_call>",
            "expected one JSON object between <arguments> and </arguments>",
        ),
        (
            "<tool_call><tool_name>add</tool_name><arguments>{} x</arguments></tool_call>",
            "expected one JSON object between <arguments> and </arguments>",
        ),
        (
            "<tool_call><tool_name>add</tool_name>{}</tool_call>",
            "expected <arguments> or </tool_call>",
        ),
    ],
)
def test_a_call_that_cannot_be_read_is_explained(reply: str, problem: str) -> None:
    call = found(reply)
    assert problem in call.problem
    assert (call.tool, call.start) == ("", 0)
    assert call.end == len(reply)


# -- hostile replies -----------------------------------------------------------------------------
PIECES = (
    "<tool_call>", "</tool_call>", "<tool_name>", "</tool_name>", "<arguments>", "</arguments>",
    "{", "}", "[", "]", '"', "'", ":", ",", '"name"', '"arguments"', "add", "look", "```",
    "\n", " ", "\\", "\\u12", "\ud800", "1", "<look>", "</look>", "<python>", "</python>", "python",
)  # fmt: skip


@given(reply=st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_no_reply_raises_and_each_problem_is_short(reply: str) -> None:
    call = find_call(reply, TOOLS)
    if call is not None:
        assert 0 <= call.start < call.end <= len(reply)
        assert len(call.problem) < 500
        call.problem.encode("utf-8")


@pytest.mark.parametrize("reply", HOSTILE_STRINGS, ids=lambda reply: repr(reply[:20]))
def test_hostile_replies_raise_nothing(reply: str) -> None:
    find_call(reply, TOOLS)


def in_call(inside: str) -> str:
    return f'<tool_call>{{"name": "look", "arguments": {{"word": {inside}'


LONG = {
    "opening tags": lambda n: "<tool_call>" * n,
    "opening tags, one closed": lambda n: "<tool_call>" * n + "</tool_call>",
    "opening tags with a brace": lambda n: "<tool_call>{" * n,
    "opening tags and spaces": lambda n: ("<tool_call>" + " " * 50) * (n // 5),
    "one opening tag and spaces": lambda n: "<tool_call>" + " " * 8 * n,
    "closing tags": lambda n: "</tool_call>" * n,
    "pairs of tags": lambda n: "<tool_call></tool_call>" * n,
    "open braces": lambda n: "<tool_call>" + "{" * 8 * n,
    "open brackets": lambda n: in_call("[" * 8 * n),
    "nested and closed": lambda n: in_call("[" * 4 * n + "]" * 4 * n),
    "keys": lambda n: in_call('{"a":' * n),
    "numbers": lambda n: in_call("[" + "1," * 4 * n),
    "an open string": lambda n: in_call('"' + "x" * 8 * n),
    "an open string of escapes": lambda n: in_call('"' + "\\n" * 4 * n),
    "a string of escapes": lambda n: in_call('"' + "\\u0041\\d" * n + '"}}</tool_call>'),
    "a string of quotes": lambda n: in_call('"' + '\\"' * 4 * n + '"}}</tool_call>'),
    "quotes": lambda n: in_call("'\"" * 4 * n),
    "spaces in the object": lambda n: in_call(" " * 8 * n),
    "spaces after the object": lambda n: in_call('"x"}}' + " " * 8 * n + "x"),
    "brackets after the object": lambda n: in_call('"x"' + "}" * 8 * n + "x"),
    "a long name": lambda n: '<tool_call>{"name": "' + "a" * 8 * n + '"}</tool_call>',
    "a long key": lambda n: in_call('{"' + "k" * 8 * n + '": 1'),
    "names": lambda n: "<tool_call>" + "<tool_name>" * n,
    "arguments": lambda n: "<tool_call><tool_name>add</tool_name>" + "<arguments>" * n,
    "arguments, spaces": lambda n: "<tool_call><tool_name>add</tool_name><arguments>" + " " * 8 * n,
    "python tags": lambda n: "<python>" * n,
    "python tags, one closed": lambda n: "<python>" * n + "</python>",
    "fences": lambda n: "```python" * n,
    "fences with a line break": lambda n: "```\npython" * n,
    "backticks": lambda n: "`" * 8 * n,
    "look tags": lambda n: "<look>" * n,
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_a_reply_ten_times_as_long_takes_about_ten_times_as_long(name: str) -> None:
    times: list[float] = []
    for length in (1_500, 15_000):
        reply = LONG[name](length)
        best = float("inf")
        for _ in range(5):
            start = thread_time()
            find_call(reply, TOOLS)
            best = min(best, thread_time() - start)
        times.append(best)
    # Quadratic time would be a hundredfold. Below two milliseconds the clock is all one measures.
    assert times[1] < max(40 * times[0], 0.002), f"{times[0]:.6f} s, then {times[1]:.6f} s"
    assert times[1] < 0.1
