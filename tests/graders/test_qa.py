"""Exact match and F1: the published definition, several golds, hostile replies."""

from time import thread_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.graders import grade_qa
from gem_gymnasium.graders.qa import MAX_CHARS, exact_match, f1, normalized
from gem_gymnasium.testing import HOSTILE_STRINGS

words = st.lists(st.sampled_from(["a", "the", "blue", "whale", "blue whale", "U.S.", "7", "-"]))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The  Blue\tWhale!", "blue whale"),
        ("U.S.", "us"),
        ("an apple a day", "apple day"),
        ("another theme", "another theme"),
        ("1,000", "1000"),
        ("THE", ""),
        ("Æsop\u2019s", "æsop\u2019s"),  # only ASCII punctuation goes, as in the script
    ],
)
def test_normalized(text: str, value: str) -> None:
    assert normalized(text) == value


@pytest.mark.parametrize(
    ("answer", "gold", "exact", "overlap"),
    [
        ("the blue whale", "Blue whale.", 1, 1),
        ("blue", "blue whale", 0, 2 / 3),
        ("blue blue", "blue whale", 0, 1 / 2),  # a bag: each word of the gold once
        ("whale blue", "blue whale", 0, 1),
        ("shark", "whale", 0, 0),
        ("the", "whale", 0, 0),
        ("...", "The The", 0, 0),  # nothing is left of this gold: it is taken as it stands
        ("the the", "The The", 1, 1),
        ("+", "+", 1, 1),
        ("-", "+", 0, 0),
    ],
)
def test_scores(answer: str, gold: str, exact: float, overlap: float) -> None:
    assert exact_match(answer, gold) == exact
    assert f1(answer, gold) == pytest.approx(overlap)


def test_the_best_gold_counts() -> None:
    reply = "<answer>NYC</answer>"
    assert grade_qa(reply, ["New York City", "nyc", "N.Y."]).score == 1.0
    assert grade_qa(reply, "New York City").score == 0.0


def test_f1_is_asked_for_by_name() -> None:
    grade = grade_qa("the big blue whale", ["a blue whale"], metric="f1", answer_format="none")
    assert grade == (pytest.approx(0.8), "ok", "exact match 0, F1 0.80")


@pytest.mark.parametrize("reply", ["", "no box", "\\boxed{}", "\\boxed{ }", "\\boxed{Paris"])
def test_a_reply_without_an_answer_is_unparseable(reply: str) -> None:
    assert grade_qa(reply, "Paris", answer_format="boxed") == (0.0, "unparseable", "no answer")


def test_an_endless_answer_is_not_compared() -> None:
    reply = "a " * MAX_CHARS
    assert grade_qa(reply, "a", answer_format="none").status == "unparseable"


def test_what_the_caller_gets_wrong_raises() -> None:
    wrong: Any = "f2"
    with pytest.raises(UnknownName, match="did you mean 'f1'"):
        grade_qa("x", "x", metric=wrong)
    with pytest.raises(ConfigError, match="at least one"):
        grade_qa("x", [])


@given(text=st.text(st.characters(exclude_categories=[]), min_size=1))
def test_a_gold_matches_itself(text: str) -> None:
    assert exact_match(text, text) == f1(text, text) == 1.0


@given(left=words.map(" ".join), right=words.map(" ".join))
def test_f1_is_symmetric_and_an_exact_match_has_all_of_it(left: str, right: str) -> None:
    assert f1(left, right) == pytest.approx(f1(right, left))
    assert exact_match(left, right) <= f1(left, right) <= 1.0


def test_hostile_replies_get_a_grade_soon() -> None:
    for reply in HOSTILE_STRINGS:
        start = thread_time()
        grade = grade_qa(reply, ["Paris", "a", "the"], metric="f1")
        assert 0.0 <= grade.score <= 1.0
        assert thread_time() - start < 0.2, ascii(reply[:80])
