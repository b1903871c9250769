"""Finding the answer in a reply: a table, never an exception, linear time."""

from time import thread_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.core.errors import UnknownName
from gem_gymnasium.graders import ANSWER_FORMATS, find_answer
from gem_gymnasium.testing import HOSTILE_STRINGS

pieces = st.lists(
    st.sampled_from(
        ["\\boxed{", "{", "}", "\\}", "<answer>", "</answer>", "</think>", "7", " ", "\ud800"]
    )
).map("".join)


@pytest.mark.parametrize(
    ("reply", "boxed", "answer_tag", "none", "any_format"),
    [
        ("", None, None, None, None),
        ("  \n", None, None, None, None),
        ("7", None, None, "7", "7"),
        ("\\boxed{7}", "7", None, "\\boxed{7}", "7"),
        ("\\boxed{1} or \\boxed{ 7 }", "7", None, "\\boxed{1} or \\boxed{ 7 }", "7"),
        ("\\boxed{7", None, None, "\\boxed{7", None),
        ("\\boxed{}", None, None, "\\boxed{}", None),
        ("<answer> 7 </answer>", None, "7", "<answer> 7 </answer>", "7"),
        ("<answer>\\boxed{7}</answer>", "7", "7", "<answer>\\boxed{7}</answer>", "7"),
        ("<answer>\\boxed{7</answer>", None, None, "<answer>\\boxed{7</answer>", None),
        ("<answer>1</answer><answer>7</answer>", None, "7", "<answer>1</answer><answer>7</answer>",
         "7"),
        ("<think>\\boxed{1}</think>7", "1", None, "7", "1"),
        ("<think>1</think>\n7\n", None, None, "7", "7"),
        ("a</think>b</think>7", None, None, "7", "7"),
        ("<think>1</think>\\boxed{7}", "7", None, "\\boxed{7}", "7"),
        ("<think>it is 7", None, None, "<think>it is 7", "<think>it is 7"),
    ],
)  # fmt: skip
def test_find_answer(
    reply: str, boxed: str | None, answer_tag: str | None, none: str | None, any_format: str | None
) -> None:
    found = [find_answer(reply, answer_format) for answer_format in ANSWER_FORMATS]
    assert found == [boxed, answer_tag, none, any_format]


def test_an_unknown_format_is_refused() -> None:
    wrong: Any = "box"
    with pytest.raises(UnknownName, match="did you mean 'boxed'"):
        find_answer("7", wrong)


@given(reply=st.one_of(st.text(st.characters(exclude_categories=[])), pieces))
def test_what_is_found_is_in_the_reply(reply: str) -> None:
    for answer_format in ANSWER_FORMATS:
        answer = find_answer(reply, answer_format)
        assert answer is None or (answer and answer in reply)


def test_hostile_replies_cost_little() -> None:
    for reply in HOSTILE_STRINGS:
        start = thread_time()
        for answer_format in ANSWER_FORMATS:
            find_answer(reply, answer_format)
        assert thread_time() - start < 0.2, ascii(reply[:80])


@pytest.mark.parametrize("piece", ["<answer>", "</answer>", "\\boxed{", "</think>", "{", "<answer"])
def test_time_grows_with_the_length_only(piece: str) -> None:
    reply = piece * 100_000
    start = thread_time()
    for answer_format in ANSWER_FORMATS:
        find_answer(reply, answer_format)
    assert thread_time() - start < 0.5
