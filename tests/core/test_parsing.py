"""Reading values out of replies: tables, never an exception, linear time."""

import json
import re
from collections.abc import Callable
from time import thread_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.core import parsing
from gem_gymnasium.core.parsing import (
    MAX_DIGITS,
    MAX_NUMBERS_CHARS,
    MAX_WORD_CHARS,
    echo,
    last_boxed,
    last_fenced,
    last_tag,
    replace_surrogates,
    to_int,
    to_ints,
    to_word,
)
from gem_gymnasium.testing import HOSTILE_STRINGS

any_text = st.text(st.characters(exclude_categories=[]))  # also lone surrogates
# Texts of the pieces that parsers look for are far likelier to trip one than any text is.
pieces = st.lists(
    st.sampled_from(
        ["\\boxed{", "{", "}", "\\{", "\\}", "\\", "1", "-", " ", "\n", "```", "```py", "<a>",
         "</a>", "\ud800", "٣", ","]
    )
).map("".join)  # fmt: skip
texts = st.one_of(any_text, pieces)

PARSERS: list[Callable[[str], Any]] = [
    last_boxed, last_fenced, lambda text: last_tag(text, "a"), to_int, to_ints, to_word,
    replace_surrogates, echo,
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("no box", None),
        ("\\boxed{}", ""),
        ("\\boxed{0}", "0"),
        ("\\boxed{ 5 }", " 5 "),
        ("\\boxed{1} then \\boxed{2}", "2"),
        ("\\boxed{1} then \\boxed{2", None),
        ("\\boxed{2", None),
        ("\\boxed{\\frac{1}{2}}", "\\frac{1}{2}"),
        ("\\boxed{a{b}c}d}", "a{b}c"),
        ("\\boxed{\\boxed{7}}", "7"),
        ("\\boxed{{1}", None),
        ("\\boxed{\\}}", "\\}"),
        ("\\boxed{\\{1}", "\\{1"),
        ("\\boxed{a\\\\}", "a\\\\"),
        ("\\boxed{\\\\{x}}", "\\\\{x}"),
        ("\\boxed{1}}", "1"),
        ("\\boxed{a\nb}", "a\nb"),
        ("\\Boxed{1}", None),
        ("\\boxed {1}", None),
        ("\\\\boxed{1}", "1"),
        ("\\boxed{٣}", "٣"),
        ("\\boxed{\x00}", "\x00"),
        ("\\boxed{\ud800}", "\ud800"),
    ],
)
def test_last_boxed(text: str, value: str | None) -> None:
    assert last_boxed(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("```", None),
        ("```\n```", ""),
        ("```\nx = 1\n```", "x = 1"),
        ("```python\nx = 1\n```\nand\n```\ny\n```", "y"),
        ("```python\nx = 1\n```\n```\nunfinished", "x = 1"),
        ("```py\nx", None),
        ("````\n```\nx\n```\n````", "```\nx\n```"),
        ("```\nx\n````", "x"),
        ("````\nx\n```", None),
        ("  ```\n  x\n  ```", "  x"),
        ("    ```\nx\n    ```", None),
        ("```a`b\nx\n```", None),
        ("text ``` x ```", None),
        ("```\n\n\nx\n\n```", "x"),
        ("```\n```python\nx\n```", "```python\nx"),
    ],
)
def test_last_fenced(text: str, value: str | None) -> None:
    assert last_fenced(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("<a>1</a>", "1"),
        ("<a> 1\n</a>", "1"),
        ("<a></a>", ""),
        ("<a>1</a><a>2</a>", "2"),
        ("<a>1</a><a>2", "1"),
        ("<a>1", None),
        ("1</a>", None),
        ("</a>1<a>", None),
        ("<a><a>1</a></a>", "1</a>"),  # the last closing tag, and the last opening one before
        ("<A>1</A>", None),
        ("<ab>1</ab>", None),
    ],
)
def test_last_tag(text: str, value: str | None) -> None:
    assert last_tag(text, "a") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (None, None),
        ("", None),
        (" ", None),
        ("0", 0),
        ("-0", 0),
        ("+7", 7),
        (" 12\n", 12),
        ("007", 7),
        ("1.0", None),
        ("1e3", None),
        ("1_000", None),
        ("1,000", None),
        ("- 1", None),
        ("--1", None),
        ("0x1", None),
        ("٣", None),
        ("１", None),  # noqa: RUF001 - a full-width digit, on purpose
        ("²", None),
        ("1\x00", None),
        ("\ud800", None),
        ("9" * MAX_DIGITS, 10**MAX_DIGITS - 1),
        ("-" + "9" * MAX_DIGITS, -(10**MAX_DIGITS) + 1),
        ("1" + "0" * MAX_DIGITS, None),
        ("9" * 100_000, None),
        ("True", None),
        ("None", None),
    ],
)
def test_to_int(text: str | None, value: int | None) -> None:
    assert to_int(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (None, None),
        ("", None),
        ("1", (1,)),
        ("1 2 3", (1, 2, 3)),
        ("1, 2,3", (1, 2, 3)),
        (" 1\n2\t3 ", (1, 2, 3)),
        ("1 , 2", (1, 2)),
        ("1,,2", None),
        ("1,", None),
        (",1", None),
        ("1;2", None),
        ("(1, 2)", None),
        ("1 x", None),
        ("-1 +2", (-1, 2)),
        ("1 ٣", None),
        ("1 " + "9" * (MAX_DIGITS + 1), None),
        ("1 " * (MAX_NUMBERS_CHARS // 2), (1,) * (MAX_NUMBERS_CHARS // 2)),
        ("1 " * (MAX_NUMBERS_CHARS // 2) + "1", None),
    ],
)
def test_to_ints(text: str | None, value: tuple[int, ...] | None) -> None:
    assert to_ints(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("crane", "crane"),
        ("CRaNE", "crane"),
        (" a ", "a"),
        ("C R A\tN\nE", "crane"),
        ("\\text{crane}", "crane"),
        (" \\text{ C R } ", "cr"),
        ("a" * MAX_WORD_CHARS, "a" * MAX_WORD_CHARS),
        ("a" * (MAX_WORD_CHARS + 1), None),
        ("", None),
        (" ", None),
        (None, None),
        ("\\text{}", None),
        ("\\text{crane", None),
        ("it's", None),
        ("cran3", None),
        ("c,r", None),
        ("caf\u00e9", None),
        ("\u212aelvin", None),  # the Kelvin sign, whose lower case is an ASCII k
        ("\ud800", None),
    ],
)
def test_to_word(text: str | None, value: str | None) -> None:
    assert to_word(text) == value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("short", "short"),
        ("x" * 80, "x" * 80),
        ("a" * 50 + "b" * 50, "a" * 37 + " ... " + "b" * 37),
        ("a\ud800b", "a?b"),
        ("\ud800\udc00", "??"),
        ("é■👩", "é■👩"),
    ],
)
def test_echo(text: str, shown: str) -> None:
    assert echo(text) == shown


@given(text=texts, max_chars=st.integers(10, 100))
def test_an_echo_is_short_and_can_be_encoded(text: str, max_chars: int) -> None:
    shown = echo(text * 3, max_chars)
    assert len(shown) <= max_chars
    assert json.loads(json.dumps(shown)) == shown
    shown.encode("utf-8")


@given(text=texts)
def test_only_surrogates_are_replaced(text: str) -> None:
    assert replace_surrogates(text) == re.sub("[\ud800-\udfff]", "?", text)


@given(text=texts)
def test_no_parser_raises(text: str) -> None:
    for parse in PARSERS:
        parse(text)
        parse(f"\\boxed{{{text}}}")


def test_no_parser_raises_on_hostile_strings() -> None:
    for text in HOSTILE_STRINGS:
        for parse in PARSERS:
            parse(text)


@given(inside=st.text(st.characters(exclude_characters="{}\\")), noise=any_text)
def test_a_box_gives_back_what_was_put_in(inside: str, noise: str) -> None:
    assert last_boxed(f"{noise}\\boxed{{{inside}}}") == inside


def balanced(text: str) -> str:
    """Put braces around a text that holds none of its own."""
    return "{" + text + "}"


@given(st.recursive(st.text("ab ", max_size=3), lambda inner: inner.map(balanced), max_leaves=20))
def test_nested_braces_are_matched(inside: str) -> None:
    assert last_boxed(f"\\boxed{{{inside}}} }} {{") == inside


@given(number=st.integers(-(10**MAX_DIGITS) + 1, 10**MAX_DIGITS - 1))
def test_integers_are_read_as_python_writes_them(number: int) -> None:
    assert to_int(str(number)) == number
    assert to_int(f"  {number:+d}\n") == number


@given(numbers=st.lists(st.integers(-999, 999), min_size=1, max_size=50))
def test_lists_of_integers_are_read_back(numbers: list[int]) -> None:
    assert to_ints(" ".join(map(str, numbers))) == tuple(numbers)
    assert to_ints(", ".join(map(str, numbers))) == tuple(numbers)


@given(text=st.text("`\npx ", max_size=60))
def test_a_fence_gives_back_what_was_put_in(text: str) -> None:
    body = text.strip("\n")
    if not re.search("^ {0,3}````", body, re.MULTILINE):
        assert last_fenced(f"````\n{body}\n````") == body


LONG = {
    "open boxes": "\\boxed{" * 140_000,
    "nested boxes": "\\boxed{" * 125_000 + "}" * 125_000,
    "closed boxes": "\\boxed{1}" * 110_000,
    "open braces": "\\boxed{" + "{" * 1_000_000,
    "closing braces": "}" * 1_000_000,
    "backslashes": "\\boxed{" + "\\" * 1_000_000,
    "escaped braces": "\\boxed{" + "\\{" * 500_000 + "}",
    "backticks": "`" * 1_000_000,
    "fences": "```\n" * 250_000,
    "fences with tags": "```a\n" * 200_000,
    "spaces before fences": "   ```x`\n" * 110_000,
    "tags": "<a>" * 330_000,
    "closing tags": "</a>" * 250_000,
    "digits": "7" * 1_000_000,
    "spaces": " " * 1_000_000,
    "space, digit": " " * 500_000 + "1" + " " * 500_000,
    "commas": "," * 1_000_000,
    "numbers": "1, " * 330_000,
    "newlines": "\n" * 1_000_000,
    "surrogates": "\ud800" * 1_000_000,
}


@pytest.mark.parametrize("name", LONG)
def test_a_megabyte_is_parsed_in_linear_time(name: str) -> None:
    text = LONG[name]
    for parse in PARSERS:
        start = thread_time()
        parse(text)
        first = thread_time() - start
        if first > 1.0:  # a busy machine
            start = thread_time()
            parse(text)
            first = min(first, thread_time() - start)
        assert first < 1.0, f"{first:.1f} s for {len(text)} characters"


def test_the_public_name() -> None:
    import gem_gymnasium

    assert gem_gymnasium.parsing is parsing
