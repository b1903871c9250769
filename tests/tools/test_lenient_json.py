"""JSON as models write it: read, repaired where one reading is left, else explained."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.tools.lenient_json import MAX_DEPTH, MAX_VALUES, read_json

CLOSE = "</tool_call>"

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)

REPAIRED: list[tuple[str, Any]] = [
    ('{"a": 1,}', {"a": 1}),
    ("[1, 2,]", [1, 2]),
    ("{'a': 'b'}", {"a": "b"}),
    ("{'a': 'say \"hi\"'}", {"a": 'say "hi"'}),
    ('{"a": "it\'s"}', {"a": "it's"}),
    (r"{'a': 'it\'s'}", {"a": "it's"}),
    ('{"code": "x = 1\nprint(x)\t"}', {"code": "x = 1\nprint(x)\t"}),
    (r'{"code": "re.search(\"\d+\", t)"}', {"code": r're.search("\d+", t)'}),
    (r'{"code": "\x41 \u12 \u"}', {"code": r"\x41 \u12 \u"}),
    ("{a: 1, b_2: 2}", {"a": 1, "b_2": 2}),
    ('{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}),
    ('{"a": {"b": [1, {"c": 2</tool_call>', {"a": {"b": [1, {"c": 2}]}}),
    ('{"a": "b" \n</tool_call>', {"a": "b"}),
    ('{"a": "b"\n```\n</tool_call>', {"a": "b"}),
    ('{"a": 1, </tool_call>', {"a": 1}),
    (r'{"a": "\ud83d\ude00 \u00e9\/"}', {"a": "\U0001f600 é/"}),
    (r'{"a": "\ud83d"}', {"a": "\ud83d"}),
    ('{"a": "</tool_call>"}', {"a": "</tool_call>"}),
]

REFUSED = [
    ('{"a": "b', "a string starts here and never ends"),
    ('{"a": "print("hi")"}', r"line 1, column 15: expected ',' or '}' \(inside a string write"),
    ("{'a': 'it's'}", r"expected ',' or '}' \(inside a string write"),
    ('{"a": """b"""}', "expected ',' or '}'"),
    ('{"a": 1 "b": 2}', "column 9: expected ',' or '}'; it is at"),
    ('{"a": {"b": "c"} "d": 1}', "column 18: expected ',' or '}'; it is at"),
    ('{"a" 1}', "expected ':' after a key"),
    ('{"a": }', "expected a value"),
    ('{"a": maybe}', r"expected a value \(text stands in double quotes\)"),
    ('{"a": NaN}', "expected a value"),
    ('{"a": -Infinity}', "expected a value"),
    ('{"a": 1e999}', "this number is too large"),
    ('{"a": ' + "7" * 41 + "}", "this number is too large or too long"),
    ('{"a": 012}', "expected ',' or '}'"),
    ('{"a": 1, "a": 2}', "column 10: the key 'a' is there twice"),
    ("[1, 2", "column 6: the text breaks off before ']'"),
    ("[1, 2}", "expected ',' or ']'"),
    ("[1,, 2]", "expected a value"),
    ('{"a": 1', "the text breaks off before '}'"),
    ('{,"a": 1}', "expected a key in double quotes"),
    ("{1: 2}", "expected a key in double quotes"),
    ('{"a":</tool_call>', "expected a value"),
    ('{"a"</tool_call>', "expected ':'"),
    ("", "line 1, column 1: expected a value"),
    ('{"a":\n 1\n "b"}', "line 3, column 2: expected ',' or '}'; it is at >>> in"),
]


@given(value=values, ascii_only=st.booleans(), indent=st.sampled_from([None, 1]))
def test_json_is_read_as_it_is(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    reading = read_json(f"## {text} ##", 3)
    assert reading.problem == ""
    assert reading.end == 3 + len(text)
    assert reading.value == value
    assert json.dumps(reading.value) == json.dumps(value)  # True is no 1, 1 no 1.0


@given(value=st.dictionaries(st.text(), values, max_size=4))
def test_python_s_own_way_of_writing_is_read_too(value: Any) -> None:
    # repr escapes as Python does (\x85), which JSON does not know: only what needs none of it.
    if "\\" not in repr(value):
        assert read_json(repr(value)).value == value


@pytest.mark.parametrize(("text", "value"), REPAIRED)
def test_what_has_one_reading_is_repaired(text: str, value: Any) -> None:
    reading = read_json(text, 0, CLOSE)
    assert reading.problem == ""
    assert reading.value == value


@pytest.mark.parametrize(("text", "problem"), REFUSED)
def test_what_has_two_readings_is_explained(text: str, problem: str) -> None:
    found = read_json(text, 0, CLOSE).problem
    assert re.search(problem, found), found


def test_brackets_are_closed_only_where_the_closing_tag_is() -> None:
    text = '{"a": [1'
    assert read_json(text + CLOSE, 0, CLOSE).value == {"a": [1]}
    assert read_json(text, 0, CLOSE).problem
    assert read_json(text + CLOSE).problem
    assert read_json(text + "</arguments>", 0, CLOSE).problem


def test_what_follows_the_value_is_left_alone() -> None:
    assert read_json(' {"a": 1}}} and more', 0) == ({"a": 1}, 9, "")


@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_depth_is_bounded_and_said(brackets: str) -> None:
    opened = "[" if brackets == "[]" else '{"a":'
    deepest = opened * MAX_DEPTH + "1" + brackets[1] * MAX_DEPTH
    assert read_json(deepest).problem == ""
    assert f"over {MAX_DEPTH} deep" in read_json(opened + deepest + brackets[1]).problem
    assert f"over {MAX_DEPTH} deep" in read_json(opened * 20_000).problem


def test_the_number_of_values_is_bounded_and_said() -> None:
    assert len(read_json(f"[{'1,' * (MAX_VALUES - 1)}]").value) == MAX_VALUES - 1
    assert f"over {MAX_VALUES} values" in read_json(f"[{'1,' * MAX_VALUES}]").problem


@given(text=st.text(st.sampled_from("{}[]:,\"'\\ \n1-eu<>/tT`a\ud800"), max_size=60))
def test_reading_never_raises_and_ends_within_the_text(text: str) -> None:
    for closed_by in ("", "<"):
        reading = read_json(text, 0, closed_by)
        assert 0 <= reading.end <= len(text)
        assert (reading.value is None) or not reading.problem
        reading.problem.encode("utf-8")
        assert len(reading.problem) < 300
