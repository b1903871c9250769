"""Math answers: the case table, references, hostile replies."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.graders import Grade, grade_math
from gem_gymnasium.graders.math import MAX_CHARS, WORK
from gem_gymnasium.graders.pool import Pool
from gem_gymnasium.testing import HOSTILE_STRINGS

CASES = Path(__file__).parent / "cases"
TABLES = sorted(path.stem for path in CASES.glob("math_*.json"))


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    pool = Pool(WORK)
    yield pool
    pool.close()


def table(name: str) -> list[dict[str, Any]]:
    """Return the cases of a file: reply, reference, grade, origin."""
    return json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", TABLES)
def test_the_table_is_graded_as_it_says(name: str, pool: Pool) -> None:
    wrong: list[tuple[str, str, Grade]] = []
    for case in table(name):
        grade = grade_math(case["reply"], case["reference"], answer_format="boxed", pool=pool)
        if grade.score != case["grade"] or grade.status in ("timeout", "error"):
            wrong.append((case["reply"][:80], case["reference"], grade))
    assert not wrong


def test_the_table_is_big_and_says_where_its_cases_come_from() -> None:
    cases = [case for name in TABLES for case in table(name)]
    assert len(cases) >= 300
    assert len({(case["reply"], case["reference"]) for case in cases}) == len(cases)
    assert all(case["grade"] in (0, 1) and case["origin"] for case in cases)
    right = sum(case["grade"] for case in cases)
    assert min(right, len(cases) - right) >= 100


@pytest.mark.parametrize(
    ("reply", "answer_format", "score", "status"),
    [
        ("\\boxed{42}", "boxed", 1.0, "ok"),
        ("42", "boxed", 0.0, "unparseable"),
        ("<answer>42</answer>", "boxed", 0.0, "unparseable"),
        ("<answer>42</answer>", "answer_tag", 1.0, "ok"),
        ("<answer>$42$</answer>", "answer_tag", 1.0, "ok"),
        ("<answer>The answer is 42.</answer>", "answer_tag", 1.0, "ok"),
        ("\\boxed{42}", "answer_tag", 0.0, "unparseable"),
        ("<think>41?</think> 42", "none", 1.0, "ok"),
        ("<think>41?</think> The final answer is: **42**", "none", 1.0, "ok"),
        ("42", "any", 1.0, "ok"),
        ("<think>42</think>41", "any", 0.0, "ok"),
        ("", "any", 0.0, "unparseable"),
        ("\\boxed{42", "any", 0.0, "unparseable"),
    ],
)
def test_the_answer_is_where_the_format_says(
    reply: str, answer_format: Any, score: float, status: str, pool: Pool
) -> None:
    grade = grade_math(reply, "42", answer_format=answer_format, pool=pool)
    assert (grade.score, grade.status) == (score, status)


@pytest.mark.parametrize("reference", ["42", 42, 42.0, ["41", "42"], [41, 42], "\\boxed{42}"])
def test_references_are_texts_numbers_or_several(reference: Any, pool: Pool) -> None:
    assert grade_math("\\boxed{42}", reference, pool=pool).score == 1.0
    assert grade_math("\\boxed{43}", reference, pool=pool).score == 0.0


def test_any_of_several_references_may_take_math_verify(pool: Pool) -> None:
    grade = grade_math("\\boxed{1-\\cos^2 x}", ["0", "\\sin^2 x"], pool=pool)
    assert grade == (1.0, "ok", "math-verify: equal")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("9**9**9**9", "a tower of powers"),
        ("10^{10^{10}}", "a tower of powers"),
        ("(9!)!", "a factorial over 1000"),
        ("x+" * 600 + "1", "over 1000 characters"),
        ("(" * 99 + "x" + ")" * 99, "brackets over 30 deep"),
        ("9" * 999, "a number of over 400 digits"),
    ],
)
def test_costly_answers_are_refused(answer: str, reason: str, pool: Pool) -> None:
    grade = grade_math(f"\\boxed{{{answer}}}", "\\sqrt{2}+x", pool=pool)
    assert grade == (0.0, "unparseable", reason)


def test_an_answer_that_hangs_meets_its_deadline_and_the_next_is_judged(pool: Pool) -> None:
    slow = "\\frac{x^2}{16}+\\frac{y^2}{12}=1", "\\frac{x^2}{4}+\\frac{y^2}{3}=1"
    grade = grade_math(f"\\boxed{{{slow[0]}}}", slow[1], time_s=0.03, pool=pool)
    assert grade == (0.0, "timeout", "over 0.03 s")
    assert grade_math("\\boxed{x+y}", "y+x", pool=pool).score == 1.0


def test_an_endless_answer_is_not_compared(pool: Pool) -> None:
    reply = "\\boxed{" + "1" * (MAX_CHARS + 1) + "}"
    assert grade_math(reply, "1", pool=pool).status == "unparseable"


def test_what_the_caller_gets_wrong_raises(pool: Pool) -> None:
    wrong: Any = "box"
    with pytest.raises(UnknownName, match="did you mean 'boxed'"):
        grade_math("1", "1", answer_format=wrong, pool=pool)
    for nothing in ([], "", ["1", " "]):
        with pytest.raises(ConfigError, match="at least one right answer"):
            grade_math("1", nothing, pool=pool)


def test_hostile_replies_get_a_grade(pool: Pool) -> None:
    for reply in HOSTILE_STRINGS:
        for reference in ("7", "\\frac{x}{2}"):
            grade = grade_math(reply, reference, time_s=2.0, pool=pool)
            assert grade.status != "error", (ascii(reply[:80]), grade)
            assert grade.score in (0.0, 1.0)
