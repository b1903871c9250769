"""Tests for gem_gymnasium.tasks.math_synthetic: every template solved again by another way."""

import re
from collections.abc import Iterator
from fractions import Fraction
from math import isclose, pi, sqrt
from time import thread_time
from typing import Any

import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.tasks.dice import rng_of
from gem_gymnasium.tasks.math_synthetic import LEVELS, TEMPLATES, problem
from gem_gymnasium.tasks.math_synthetic.draft import show, show_pi, show_root
from tests.tasks.math_synthetic import solve_first, solve_second

DRAWS = 8
CASES = [(name, level) for name in TEMPLATES for level in LEVELS]


def read(answer: str) -> Any:
    """Return the number that an answer writes, whole and broken ones exactly."""
    if re.fullmatch(r"-?\d+", answer):
        return int(answer)
    if found := re.fullmatch(r"(-?)\\frac\{(\d+)\}\{(\d+)\}", answer):
        return Fraction(int(found[1] + found[2]), int(found[3]))
    text = re.sub(r"\\frac\{(.*)\}\{(\d+)\}$", r"(\1)/\2", answer)
    text = re.sub(r"\\sqrt\{(\d+)\}", r"*sqrt(\1)", text).replace("\\pi", "*pi")
    text = re.sub(r"(^|[(+-])\*", r"\1", text)
    return eval(text, {"sqrt": sqrt, "pi": pi})


def numbers_in(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        for key, part in value.items():
            if not key.startswith("_"):
                yield from numbers_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from numbers_in(part)
    elif isinstance(value, int) and value:
        yield abs(value)


@pytest.mark.parametrize(("name", "level"), CASES)
def test_another_way_gives_the_same_answer(name: str, level: int) -> None:
    solve = getattr(solve_first, name, None) or getattr(solve_second, name)
    for index in range(DRAWS):
        draft = TEMPLATES[name][1](rng_of(5, level, index), level)
        facts = {**draft.facts, "_level": level, "_question": draft.question}
        answer, expected = read(draft.answer), solve(facts)
        if isinstance(answer, (int, Fraction)) and isinstance(expected, (int, Fraction)):
            assert answer == expected, draft
        else:
            assert isclose(answer, expected, rel_tol=1e-9), draft


NOT_SAID = ("least", "most")
"""Bounds of equal_things, which only some levels speak of."""


@pytest.mark.parametrize(("name", "level"), CASES)
def test_the_question_says_all_it_is_made_of(name: str, level: int) -> None:
    for index in range(DRAWS):
        draft = TEMPLATES[name][1](rng_of(6, level, index), level)
        said = {int(number) for number in re.findall(r"\d+", draft.question)}
        facts = draft.facts
        if name == "equal_things":
            facts = {key: fact for key, fact in facts.items() if key not in NOT_SAID}
        assert {*numbers_in(facts)} - {1} <= said, draft  # x^2 has the factor 1


@pytest.mark.parametrize(("name", "level"), CASES)
def test_questions_are_clean_sentences(name: str, level: int) -> None:
    for index in range(DRAWS):
        question = TEMPLATES[name][1](rng_of(7, level, index), level).question
        assert question[0].isupper() or question[0].isdigit()
        assert question[-1] in ".?"
        assert not re.search(
            r"  |\{\}|\.\.(?!\.)(?<!\.\.\.)|None|\bor\.|\band\.| ,|\+ -|--", question
        )
        assert not re.search(
            r"(?<![\d.,])1 (hours|blocks|times|litres|slots|years|people)\b", question
        )


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_has_5000_different_problems(level: int) -> None:
    made = [problem(rng_of(0, index), level=level) for index in range(7_000)]
    assert len({one.question for one in made}) >= 5_000
    assert {one.template for one in made} == {*TEMPLATES}


@pytest.mark.parametrize("level", LEVELS)
def test_no_constant_answer_is_worth_much(level: int) -> None:
    answers = [problem(rng_of(1, index), level=level).answer for index in range(2_000)]
    assert max(map(answers.count, {*answers})) <= 0.05 * len(answers)


def test_equal_draws_make_equal_problems_and_others_others() -> None:
    first, again, other = (problem(rng_of(seed, 4), level=3) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_there_are_templates_of_six_subjects() -> None:
    assert len(TEMPLATES) >= 30
    assert len({subject for subject, _ in TEMPLATES.values()}) == 6


def test_a_problem_is_made_within_50_ms() -> None:
    times = []
    for index in range(400):
        start = thread_time()
        problem(rng_of(2, index), level=1 + index % 5)
        times.append(thread_time() - start)
    assert sorted(times)[395] <= 0.1  # CPU seconds, on a busy machine too


@pytest.mark.parametrize("level", [0, 6])
def test_other_levels_are_refused(level: int) -> None:
    with pytest.raises(ConfigError, match="level must be from 1 to 5"):
        problem(rng_of(0), level=level)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (show(Fraction(6, -4)), "-\\frac{3}{2}"),
        (show(-7), "-7"),
        (show_root(0), "0"),
        (show_root(49), "7"),
        (show_root(20), "2\\sqrt{5}"),
        (show_root(Fraction(9, 2)), "\\frac{3\\sqrt{2}}{2}"),
        (show_root(Fraction(1, 4)), "\\frac{1}{2}"),
        (show_pi(1), "\\pi"),
        (show_pi(Fraction(3, 2)), "\\frac{3\\pi}{2}"),
    ],
)
def test_exact_numbers_are_written_in_their_simplest_form(written: str, expected: str) -> None:
    assert written == expected
