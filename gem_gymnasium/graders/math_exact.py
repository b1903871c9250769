"""Equal or not, by exact comparison: texts, numbers, formulas; lists, sets and matrices of them.

Pure and cheap: this decides most answers. What it cannot decide (functions, inequalities, decimals
that may stand for a root) is None, and is left to ``math-verify``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gem_gymnasium.graders.math_algebra import same_formula
from gem_gymnasium.graders.math_base import read_based
from gem_gymnasium.graders.math_choice import is_choice, letter_of
from gem_gymnasium.graders.math_number import read_number, same_number
from gem_gymnasium.graders.math_shape import Shape, equal_parts, shape_of, without_brackets
from gem_gymnasium.graders.math_text import canonical, squeezed
from gem_gymnasium.graders.math_words import (
    above_zero,
    clock,
    contradict,
    is_empty_set,
    is_spoken,
)

MAX_DEPTH = 5
"""Shapes in shapes that are compared."""

_NAME = r"(?P<name>[a-zA-Z](?:_\{?\w+\}?)?(?: ?\( ?[a-zA-Z] ?\))?)"
_NAMED = re.compile(rf"{_NAME} ?(?:=|\\in(?![a-zA-Z])) ?(?P<value>[^=<>]+)")
_DIGITS = re.compile(r"-?\w+", re.ASCII)
_ONLY_NAME = re.compile(_NAME)
_WORDS = re.compile(r"[^\W\d_](?:[^\W\d_]|[ .'/&-])*")
_PARTS = re.compile(r"[ .'/&-]+")
_FUNCTIONS = frozenset((
    "sin", "cos", "tan", "sec", "csc", "cot", "log", "ln", "exp", "sqrt", "arcsin", "arccos",
    "arctan", "sinh", "cosh", "tanh", "min", "max", "gcd", "lcm", "lim", "det", "dim", "ker", "deg",
    "mod", "pi", "inf", "infty", "and", "or",
))  # fmt: skip
_VOWELS = frozenset("aeiouyäöüéèáíó")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def same_answer(answer: str, reference: str) -> bool | None:
    """Return whether an answer is the reference; None if that is not known."""
    return _same(canonical(answer), canonical(reference), MAX_DEPTH)


def _same(answer: str, reference: str, depth: int) -> bool | None:
    """Compare canonical texts."""
    answer, reference = without_brackets(answer), without_brackets(reference)
    if squeezed(answer) == squeezed(reference):
        return bool(answer)
    if is_empty_set(answer) and is_empty_set(reference):
        return True
    if letter := letter_of(reference):
        return is_choice(answer, letter)
    times = clock(answer), clock(reference)
    if times[0] and times[1]:
        return times[0] == times[1]
    if (same := _same_based(answer, reference)) is not None:
        return same
    left, right = read_number(answer), read_number(reference)
    if (times[0] and (right or ":" in answer)) or (times[1] and (left or ":" in reference)):
        return False
    if left is not None and right is not None:
        return same_number(left, right) and not contradict(*_unsigned(answer, reference))
    if contradict(*_unsigned(answer, reference)):
        return False
    if (left and _is_said(reference)) or (right and _is_said(answer)):
        return False
    if is_words(reference) or is_words(answer):
        return False
    if depth == 0:
        return None
    if "..." in answer or "..." in reference:  # what the dots stand for is no expression
        return _same_series(answer, reference, depth - 1)
    names = _NAMED.fullmatch(answer), _NAMED.fullmatch(reference)
    if names[0] and names[1]:
        same = squeezed(names[0]["name"]) == squeezed(names[1]["name"])
        return _same(names[0]["value"], names[1]["value"], depth - 1) if same else None
    if names[0] or names[1]:
        values = [
            match["value"] if match else text
            for match, text in zip(names, (answer, reference), strict=True)
        ]
        return _same(values[0], values[1], depth - 1)
    if "=" in answer and "=" not in reference:
        values = [part for part in equal_parts(answer) if not _ONLY_NAME.fullmatch(part)]
        verdicts = {_same(part, values[-1], depth - 1) for part in values[:-1]}
        if False in verdicts:
            return False
        if verdicts == {True}:
            return _same(values[-1], reference, depth - 1)
    shapes = shape_of(answer), shape_of(reference)
    if shapes[0] is None or shapes[1] is None:
        # One number is no list of several.
        numbers = left is not None or right is not None
        several = any(shape is not None and len(shape.items) > 1 for shape in shapes)
        return False if numbers and several else same_formula(answer, reference)
    return _same_shape(shapes[0], shapes[1], depth - 1)


def _same_based(answer: str, reference: str) -> bool | None:
    """Compare numbers of which one names its base; None if none does.

    Two bases must be the same: the value in another would pay for saying the question again, where
    it asks for a conversion. A base on one side only may be left out, as a unit may.
    """
    left, right = read_based(answer), read_based(reference)
    if left and right:
        return left == right
    based, other = (left, reference) if left else (right, answer)
    plain = other.lower().replace(" ", "")
    return plain == based.digits if based and _DIGITS.fullmatch(plain) else None


def _unsigned(*texts: str) -> tuple[str, ...]:
    """Return texts without the "below zero" that is a sign."""
    return tuple(above_zero(text) or text for text in texts)


def _is_said(text: str) -> bool:
    """Return whether text is a number with words behind it that are no unit and no function."""
    return is_spoken(text) and _FUNCTIONS.isdisjoint(_PARTS.split(text.lower()))


def _same_series(answer: str, reference: str, depth: int) -> bool | None:
    """Compare what is written out of two series, in order."""
    shapes = shape_of(answer), shape_of(reference)
    if shapes[0] is None or shapes[1] is None:
        return False
    return _same_row(shapes[0].items, shapes[1].items, depth)


def _same_shape(answer: Shape, reference: Shape, depth: int) -> bool | None:
    """Compare items: in any order in lists and sets, else one by one."""
    kinds = {answer.kind, reference.kind}
    if kinds <= {"list", "set"}:
        return _same_bag(answer.items, reference.items, depth)
    if kinds == {"list", "brackets"} and "()" in (answer.around, reference.around):
        return _same_row(answer.items, reference.items, depth)
    if kinds in ({"brackets"}, {"matrix"}):
        if answer.around != reference.around:
            return False
        return _same_row(answer.items, reference.items, depth)
    return None


def _same_row(answer: Sequence[str], reference: Sequence[str], depth: int) -> bool | None:
    if len(answer) != len(reference):
        return False
    verdicts = {_same(left, right, depth) for left, right in zip(answer, reference, strict=True)}
    return False if False in verdicts else None if None in verdicts else True


def _same_bag(answer: Sequence[str], reference: Sequence[str], depth: int) -> bool | None:
    """Match each item of the reference with one of the answer."""
    left = list(dict.fromkeys(map(squeezed, answer)))
    right = list(dict.fromkeys(map(squeezed, reference)))
    known = len(left) == len(right)
    unsure = False
    for item in right:
        verdicts = [_same(other, item, depth) for other in left]
        unsure = unsure or None in verdicts
        if True in verdicts:
            del left[verdicts.index(True)]
        else:
            known = False
    return known or (None if unsure else False)


def named_value(text: str) -> str | None:
    r"""Return what a text says that a name is (``x = 5``, ``x \in (1, 2)``), or None."""
    match = _NAMED.fullmatch(canonical(text))
    return match["value"].strip() if match else None


def is_words(text: str) -> bool:
    """Return whether canonical text is words, not an expression.

    Letters that may be a product (``ab``, ``xyz``) and names of functions are none.
    """
    if not _WORDS.fullmatch(text):
        return False
    words = _PARTS.split(text.lower())
    longest = max(words, key=len)
    return (
        len(longest) >= 3
        and not _VOWELS.isdisjoint(longest)
        and longest not in _ALPHABET
        and _FUNCTIONS.isdisjoint(words)
    )
