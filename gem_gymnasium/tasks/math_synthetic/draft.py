"""What a template of a math problem makes, and how exact numbers are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple

from gem_gymnasium.tasks.dice import Rng

EXACT = "Give the exact value, as a fraction in lowest terms if it is not a whole number."
"""The last sentence of a question whose answer may be a fraction."""

FRACTION = "Give the probability as a fraction in lowest terms."
"""The last sentence of a question for a probability."""

COLOURS = ("red", "blue", "green", "white", "black", "yellow")

NAMES = (
    "Ada", "Amir", "Anna", "Ben", "Bruno", "Carla", "Chen", "Clara", "Dario", "Dina", "Elena",
    "Emil", "Farah", "Felix", "Grace", "Hana", "Hugo", "Ines", "Ivan", "Jonas", "Julia", "Kofi",
    "Lara", "Leo", "Lina", "Mara", "Mateo", "Mila", "Nadia", "Nils", "Olga", "Omar", "Paula",
    "Priya", "Rosa", "Ruben", "Sami", "Sofia", "Tariq", "Theo", "Vera", "Wanda", "Yusuf", "Zoe",
)  # fmt: skip


class Draft(NamedTuple):
    """A question, its answer, and the numbers and words it was made of.

    ``facts`` holds what the question says, no more: a test solves the problem again from them.
    """

    question: str
    answer: str
    facts: dict[str, Any]


Template = Callable[[Rng, int], Draft]
"""Draws a problem of a level from 1 (one step, small numbers) to 5."""


def show(value: int | Fraction) -> str:
    r"""Return a rational number as LaTeX: ``-3`` or ``\frac{3}{7}``."""
    value = Fraction(value)
    if value.denominator == 1:
        return str(value.numerator)
    sign = "-" if value < 0 else ""
    return f"{sign}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def split_root(number: int) -> tuple[int, int]:
    """Return (c, r) with ``number == c * c * r`` and r free of squares."""
    for outer in range(isqrt(number), 0, -1):
        if number % (outer * outer) == 0:
            return outer, number // (outer * outer)
    return 0, 1  # number is 0


def show_root(square: int | Fraction) -> str:
    r"""Return the root of a rational number as LaTeX: ``3``, ``2\sqrt{5}``, ``\frac{3}{7}``."""
    square = Fraction(square)
    outer, inner = split_root(square.numerator * square.denominator)
    return _times(Fraction(outer, square.denominator), "" if inner == 1 else f"\\sqrt{{{inner}}}")


def show_pi(factor: int | Fraction) -> str:
    r"""Return a multiple of pi as LaTeX: ``12\pi`` or ``\frac{3\pi}{2}``."""
    return _times(Fraction(factor), "\\pi")


def _times(factor: Fraction, symbol: str) -> str:
    """Return a positive rational number times a symbol."""
    top = str(factor.numerator) if factor.numerator != 1 or not symbol else ""
    whole = f"{top}{symbol}"
    return whole if factor.denominator == 1 else f"\\frac{{{whole}}}{{{factor.denominator}}}"


def listing(parts: Sequence[str], last: str = "and") -> str:
    """Return parts as running text: ``a, b and c``."""
    if len(parts) == 1:
        return parts[0]
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"
