"""The answers of ``graders.py``: kinds that GEM's data sets have, and programs with tests.

A kind is a function ``(rng, off) -> (answer, reference)``: the answer is right where ``off`` is 0.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

EACH = 10
"""Answers of a kind in a round, half of them right."""

PROBLEMS, TESTS = 64, 12


def spelled(n: int, rng: random.Random) -> str:
    """Return a whole number as a model may write it."""
    return rng.choice([f"{n}", f"{n:,}", f"x = {n}", f"${n}$", f"{n}.0", f"\\text{{{n}}}"])


def integer(rng: random.Random, off: int) -> tuple[str, str]:
    """A whole number (GSM8K, AIME)."""
    n = rng.randint(1, 99_999)
    return spelled(n + off, rng), f"{n}"


def unit(rng: random.Random, off: int) -> tuple[str, str]:
    """An amount with its unit (GSM8K, MATH)."""
    n = rng.randint(2, 999)
    forms = (f"\\${n + off}", f"{n + off} \\text{{ cm}}", f"{n + off}^\\circ", f"{n + off}\\%")
    return rng.choice(forms), f"{n}"


def fraction(rng: random.Random, off: int) -> tuple[str, str]:
    """A fraction (MATH)."""
    below = rng.choice([2, 3, 4, 5, 7, 8, 11])
    above = rng.randint(1, 5) * below + 1
    wrong = above + off
    forms = (
        f"{wrong}/{below}",
        f"\\dfrac{{{wrong}}}{{{below}}}",
        f"\\frac{{{3 * wrong}}}{{{3 * below}}}",
    )
    return rng.choice(forms), f"\\frac{{{above}}}{{{below}}}"


def decimal(rng: random.Random, off: int) -> tuple[str, str]:
    """A decimal fraction, or the fraction that it is (MATH)."""
    n = rng.randrange(1, 400, 2)
    return rng.choice([f"{(n + off) / 8}", f"\\frac{{{n + off}}}{{8}}"]), f"{n / 8}"


def root(rng: random.Random, off: int) -> tuple[str, str]:
    """A root (MATH)."""
    a, b = rng.randint(2, 9), rng.choice([2, 3, 5, 6, 7])
    forms = (f"{a + off}\\sqrt{{{b}}}", f"\\sqrt{{{(a + off) ** 2 * b}}}")
    return rng.choice(forms), f"{a}\\sqrt{{{b}}}"


def circle(rng: random.Random, off: int) -> tuple[str, str]:
    """A multiple of pi (MATH)."""
    a, b = rng.randint(2, 60), rng.choice([3, 4, 7])
    forms = (f"\\frac{{{a + off}\\pi}}{{{b}}}", f"\\frac{{{a + off}}}{{{b}}}\\pi")
    return rng.choice(forms), f"\\frac{{{a}\\pi}}{{{b}}}"


def pair(rng: random.Random, off: int) -> tuple[str, str]:
    """A point or an interval (MATH)."""
    a, b = rng.randint(-9, 9), rng.randint(10, 30)
    left, right = rng.choice(["()", "[)", "(]", "[]"])
    reply = f"\\left{left} {a}, {b + off} \\right{right}"
    return reply, f"{left}{a},{b}{right}"


def polynomial(rng: random.Random, off: int) -> tuple[str, str]:
    """A polynomial (MATH)."""
    a, b = rng.randint(2, 9), rng.randint(2, 9)
    forms = (f"x^2+{a + b + off}x+{a * b}", f"(x+{a + off})(x+{b})")
    return rng.choice(forms), f"x^2 + {a + b}x + {a * b}"


def inequality(rng: random.Random, off: int) -> tuple[str, str]:
    """An inequality (MATH)."""
    a = rng.randint(-20, 20)
    return rng.choice([f"{a + off} < x", f"x > {a + off}"]), f"x>{a}"


def logarithm(rng: random.Random, off: int) -> tuple[str, str]:
    """A logarithm (MATH, ORZ)."""
    a, b = rng.randint(2, 9), rng.choice([2, 3, 5])
    forms = (f"\\frac{{\\ln {b}}}{{{a + off}}}", f"\\frac{{1}}{{{a + off}}}\\ln {b}")
    return rng.choice(forms), f"\\frac{{\\ln {b}}}{{{a}}}"


def words(rng: random.Random, off: int) -> tuple[str, str]:
    """A word (MATH, ORZ)."""
    names = ["Tuesday", "Evelyn", "isosceles", "even", "ellipse"]
    n = rng.randrange(len(names))
    return f"\\text{{{names[(n + off) % len(names)]}}}", f"\\text{{{names[n]}}}"


KINDS = (
    integer,
    unit,
    fraction,
    decimal,
    root,
    circle,
    pair,
    polynomial,
    inequality,
    logarithm,
    words,
)


def answers(kind: str, seed: int) -> list[tuple[str, str, bool]]:
    """Return the answers of a round: (reply, reference, right)."""
    rng = random.Random(f"{kind} {seed}")
    make = next(each for each in KINDS if each.__name__ == kind)
    offs = [0, 1] * (EACH // 2)
    return [(f"So it is \\boxed{{{a}}}.", r, not off) for off in offs for a, r in [make(rng, off)]]


def problem(number: int) -> tuple[str, list[str], list[str], bool]:
    """Return a program, its inputs, what is right for them, and whether the program is.

    Every fourth program drops a number, which changes the answer of most.
    """
    rng = random.Random(number)
    lists = [[rng.randint(-99, 99) for _ in range(rng.randint(2, 60))] for _ in range(TESTS)]
    jobs: list[tuple[str, Callable[[list[int]], Any]]] = [
        ("print(sum(a))", sum),
        ("print(max(a) - min(a))", lambda a: max(a) - min(a)),
        ("print(*sorted(a))", lambda a: " ".join(map(str, sorted(a)))),
        ("from collections import Counter\nprint(Counter(a).most_common(1)[0][1])",
         lambda a: max(map(a.count, a))),
        ("print(sum(x > y for x, y in zip(a, a[1:])))",
         lambda a: sum(x > y for x, y in pairwise(a))),
    ]  # fmt: skip
    program, solve = jobs[number % len(jobs)]
    head = "n = int(input())\na = list(map(int, input().split()))\n"
    drops = number % 4 == 3
    head += "a = a[:-1]\n" if drops else ""
    inputs = [f"{len(a)}\n{' '.join(map(str, a))}\n" for a in lists]
    right = not drops or all(solve(a[:-1]) == solve(a) for a in lists)
    return f"```python\n{head}{program}\n```", inputs, [f"{solve(a)}\n" for a in lists], right
