r"""Algebra: equations, systems, roots, sequences, ages, functions, polynomials."""

from __future__ import annotations

from fractions import Fraction

from gem_gymnasium.tasks.dice import Rng, between, pick, pick_some
from gem_gymnasium.tasks.math_synthetic.draft import (
    EXACT,
    NAMES,
    Draft,
    Template,
    show,
    split_root,
)


def nonzero(rng: Rng, bound: int) -> int:
    """Draw an integer from -bound to bound that is not 0."""
    return between(rng, 1, bound) * pick(rng, (-1, 1))


def polynomial(coefficients: list[int], letter: str = "x") -> str:
    """Return a polynomial as LaTeX, the highest power first; ``coefficients`` start with it."""
    text = ""
    for power, factor in zip(range(len(coefficients) - 1, -1, -1), coefficients, strict=True):
        if factor == 0:
            continue
        sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
        size = str(abs(factor)) if abs(factor) != 1 or power == 0 else ""
        text += sign + size + ("" if power == 0 else letter if power == 1 else f"{letter}^{power}")
    return text or "0"


def linear_equation(rng: Rng, level: int) -> Draft:
    """Return the solution of a linear equation."""
    letter = pick(rng, "xyzntk")
    if level <= 3:  # a x + b = c x + d with a whole solution, at level 3 with any
        solution = nonzero(rng, 6 + 6 * level)
        a, c = pick_some(rng, range(2, 8 + 4 * level), 2)
        c = 0 if level == 1 else c
        b = nonzero(rng, 10 * level)
        d = a * solution + b - c * solution if level < 3 else nonzero(rng, 40)
        left, right = polynomial([a, b], letter), polynomial([c, d], letter)
        facts = {"left": [a, b], "right": [c, d]}
        answer = Fraction(d - b, a - c)
        said = pick(rng, ("Solve ${}$ for ${}$.", "For which ${1}$ is ${0}$?"))
        if said.startswith("Solve"):
            said = "Solve ${0}$ for ${1}$."
        question = said.format(f"{left} = {right}", letter) + (f" {EXACT}" if level == 3 else "")
        return Draft(question, show(answer), facts)
    a, c = pick_some(rng, range(2, 12), 2)
    b, d, e = nonzero(rng, 9), nonzero(rng, 9), nonzero(rng, 30)
    inner, other = polynomial([1, b], letter), polynomial([1, d], letter)
    if level == 4:  # a (x + b) = c (x + d) + e
        equation = f"{a}({inner}) = {c}({other}) {'+' if e > 0 else '-'} {abs(e)}"
        answer = Fraction(c * d + e - a * b, a - c)
    else:  # (x + b) / a - (x + d) / c = e
        equation = f"\\frac{{{inner}}}{{{a}}} - \\frac{{{other}}}{{{c}}} = {e}"
        answer = (e - Fraction(b, a) + Fraction(d, c)) / (Fraction(1, a) - Fraction(1, c))
    question = f"Solve ${equation}$ for ${letter}$. {EXACT}"
    return Draft(question, show(answer), {"outer": [a, c], "inner": [b, d], "end": e})


_PAIRS = (
    ("adult tickets", "child tickets", "tickets"),
    ("roses", "tulips", "flowers"),
    ("large boxes", "small boxes", "boxes"),
    ("novels", "comics", "books"),
    ("coffees", "teas", "drinks"),
)


def two_unknowns(rng: Rng, level: int) -> Draft:
    """Return one unknown of two equations, in words at the first two levels."""
    if level <= 2:
        dear, cheap, both = pick(rng, _PAIRS)
        high = between(rng, 5, 8 + 6 * level)
        low = between(rng, 2, high - 1)
        counts = [between(rng, 3, 20 * level) for _ in range(2)]
        total = high * counts[0] + low * counts[1]
        at = between(rng, 0, 1)
        question = (
            f"A stall sells {dear} at ${high} and {cheap} at ${low}. One day it sells "
            f"{sum(counts)} {both} for ${total} in all. How many of them are {(dear, cheap)[at]}?"
        )
        facts = {"prices": [high, low], "count": sum(counts), "total": total, "_at": at}
        return Draft(question, str(counts[at]), facts)
    bound = 3 + 2 * level
    while True:
        rows = [[nonzero(rng, bound) for _ in range(2)] for _ in range(2)]
        if rows[0][0] * rows[1][1] != rows[0][1] * rows[1][0]:
            break
    x, y = nonzero(rng, 4 * level), nonzero(rng, 4 * level)
    ends = [a * x + b * y for a, b in rows]
    first, second = (
        f"{polynomial([a, 0])} {'+' if b > 0 else '-'} {polynomial([abs(b), 0], 'y')} = {end}"
        for (a, b), end in zip(rows, ends, strict=True)
    )
    form, weights = pick(
        rng, (("x", (1, 0)), ("y", (0, 1)), ("x + y", (1, 1)), ("x - y", (1, -1)))[level - 3 :]
    )
    if level == 5:
        form, weights = pick(rng, (("xy", (0, 0)), ("x^2 + y^2", (2, 2)), ("x - y", (1, -1))))
    values = {"xy": x * y, "x^2 + y^2": x * x + y * y}
    answer = values.get(form, weights[0] * x + weights[1] * y)
    question = f"Given ${first}$ and ${second}$, find ${form}$."
    return Draft(question, str(answer), {"rows": rows, "ends": ends, "_form": form})


def quadratic_roots(rng: Rng, level: int) -> Draft:
    """Return a root of a quadratic equation, or an expression in its roots."""
    if level <= 2:
        one, other = pick_some(rng, range(-5 - 4 * level, 6 + 4 * level), 2)
        factor = 1 if level == 1 else between(rng, 2, 5)
        row = [factor, -factor * (one + other), factor * one * other]
        which = pick(rng, ("larger", "smaller"))
        question = f"What is the {which} solution of ${polynomial(row)} = 0$?"
        answer = max(one, other) if which == "larger" else min(one, other)
        return Draft(question, str(answer), {"row": row, "_which": which})
    if level == 3:
        while True:
            row = [between(rng, 1, 5), nonzero(rng, 14), nonzero(rng, 14)]
            if row[1] ** 2 > 4 * row[0] * row[2]:
                break
        p, q = Fraction(-row[1], row[0]), Fraction(row[2], row[0])
        form, answer = pick(
            rng,
            (("r^2 + s^2", p * p - 2 * q), ("(r + 1)(s + 1)", q + p + 1), ("r + s + rs", p + q)),
        )
        question = (
            f"Let $r$ and $s$ be the solutions of ${polynomial(row)} = 0$. Find ${form}$. {EXACT}"
        )
        return Draft(question, show(answer), {"row": row, "_form": form})
    # x = m + sqrt(k): x^2 - 2 m x + m^2 - k = 0; at level 5, r^3 + s^3 of integers m and k
    middle = nonzero(rng, 12)
    inside = between(rng, 2, 90)
    outer, root = split_root(inside)
    if root == 1:
        inside, outer, root = inside + 1, *split_root(inside + 1)
    row = [1, -2 * middle, middle * middle - inside]
    if level == 4:
        sign = pick(rng, "+-")
        which = "larger" if sign == "+" else "smaller"
        radical = f"{outer if outer > 1 else ''}\\sqrt{{{root}}}"
        question = (
            f"What is the {which} solution of ${polynomial(row)} = 0$? "
            "Write it exactly, with a square root."
        )
        return Draft(question, f"{middle}{sign}{radical}", {"row": row, "_which": which})
    form, answer = pick(
        rng,
        (
            ("r^3 + s^3", 2 * middle**3 + 6 * middle * inside),
            ("r^4 + s^4", 2 * (middle**4 + 6 * middle**2 * inside + inside**2)),
        ),
    )
    question = f"Let $r$ and $s$ be the solutions of ${polynomial(row)} = 0$. Find ${form}$."
    return Draft(question, str(answer), {"row": row, "_form": form})


def sequence(rng: Rng, level: int) -> Draft:
    """Return a term or a sum of a sequence."""
    if level <= 3:
        first, step = between(rng, -9, 30), nonzero(rng, 5 + 5 * level)
        shown = [first + at * step for at in range(4)]
        said = ", ".join(map(str, shown))
        many = between(rng, 8 * level, 30 * level)
        last = first + (many - 1) * step
        facts = {"shown": shown, "many": many}
        start = f"The sequence {said}, ... is arithmetic."
        if level == 1:
            question = f"{start} What is term number {many}, {first} being term number 1?"
            return Draft(question, str(last), facts)
        if level == 2:
            question = f"{start} What is the sum of its first {many} terms?"
            return Draft(question, str((first + last) * many // 2), facts)
        question = (
            f"The numbers {said}, ..., {last} are evenly spaced. What is the sum of all of them?"
        )
        return Draft(question, str((first + last) * many // 2), {"shown": shown, "last": last})
    if level == 4:
        first, ratio, many = (
            nonzero(rng, 12),
            pick(rng, (-4, -3, -2, 2, 3, 4, 5)),
            between(rng, 5, 10),
        )
        shown = [first * ratio**at for at in range(3)]
        question = (
            f"The sequence {', '.join(map(str, shown))}, ... is geometric. "
            f"What is the sum of its first {many} terms?"
        )
        total = sum(first * ratio**at for at in range(many))
        return Draft(question, str(total), {"shown": shown, "many": many})
    starts = [between(rng, 0, 6), between(rng, 1, 9)]
    weights = [nonzero(rng, 4), nonzero(rng, 4)]
    many = between(rng, 6, 10)
    terms = [*starts]
    while len(terms) < many:
        terms.append(weights[0] * terms[-1] + weights[1] * terms[-2])
    a, b = weights
    size = "" if abs(b) == 1 else abs(b)
    lead = {1: "", -1: "-"}.get(a, a)
    rule = f"a_n = {lead}a_{{n-1}} {'+' if b > 0 else '-'} {size}a_{{n-2}}"
    question = (
        f"A sequence has $a_1 = {starts[0]}$, $a_2 = {starts[1]}$ and ${rule}$ for every $n$ from "
        f"3 on. Find $a_{{{many}}}$."
    )
    return Draft(question, str(terms[-1]), {"starts": starts, "weights": weights, "many": many})


def ages(rng: Rng, level: int) -> Draft:
    """Return someone's age from what is said of the ages at two times."""
    one, other = pick_some(rng, NAMES, 2)
    young, old = between(rng, 4, 12 + 6 * level), 0
    if level <= 2:
        times = between(rng, 2, 5)
        old = young * times
        total = young + old
        who, answer = pick(rng, ((one, old), (other, young)))
        if level == 1:
            question = (
                f"{one} is {times} times as old as {other}. Together they are {total} years old. "
                f"How old is {who}?"
            )
            return Draft(
                question, str(answer), {"times": times, "total": total, "_old": who == one}
            )
        question = (
            f"{one} is {times} times as old as {other} and {old - young} years older. "
            f"How old is {who}?"
        )
        facts = {"times": times, "gap": old - young, "_old": who == one}
        return Draft(question, str(answer), facts)
    # in `later` years the older is `times` times as old
    later, times = between(rng, 2, 10), between(rng, 2, 4)
    old = times * (young + later) - later
    if level == 3:
        question = (
            f"{one} is {old - young} years older than {other}. In {later} years {one} will be "
            f"{times} times as old as {other} will be then. How old is {other} now?"
        )
        facts = {"gap": old - young, "later": later, "times": times}
        return Draft(question, str(young), facts)
    if level == 4:
        question = (
            f"Today the ages of {one} and {other} add up to {old + young} years. In {later} years "
            f"{one} will be {times} times as old as {other} will be then. How old is {one} now?"
        )
        facts = {"total": old + young, "later": later, "times": times}
        return Draft(question, str(old), facts)
    ago = between(rng, 1, young - 1)
    back = between(rng, times + 1, times + 5)
    # old - ago = back (young - ago), old + later = times (young + later): choose `later` to fit
    young = ago + between(rng, 2, 12)
    old = back * (young - ago) + ago
    while (old - young) % (times - 1) or (old - young) // (times - 1) <= young:
        young += 1
        old = back * (young - ago) + ago
    later = (old - young) // (times - 1) - young
    question = (
        f"{ago} years ago {one} was {back} times as old as {other} was then. In {later} years "
        f"{one} will be {times} times as old as {other} will be then. How old is {one} now?"
    )
    if ago == 1:
        question = question.replace("1 years ago", "1 year ago", 1)
    if later == 1:
        question = question.replace("In 1 years", "In 1 year", 1)
    return Draft(question, str(old), {"ago": ago, "back": back, "later": later, "times": times})


def functions(rng: Rng, level: int) -> Draft:
    """Return a value of functions put into each other, or what gives a value."""
    bound = 2 + level
    f = [nonzero(rng, bound + 4), nonzero(rng, 9)]
    g = [pick(rng, (-2, -1, 1, 2, 3)), nonzero(rng, bound), nonzero(rng, 9)]
    at = nonzero(rng, bound)

    def value(row: list[int], x: int) -> int:
        result = 0
        for factor in row:
            result = result * x + factor
        return result

    said = f"Let $f(x) = {polynomial(f)}$"
    if level == 1:
        return Draft(f"{said}. Find $f({at})$.", str(value(f, at)), {"f": f, "at": at})
    if level == 2:
        many = between(rng, 2, 3)
        result = value(f, value(f, at)) if many == 2 else value(f, value(f, value(f, at)))
        form = "f(" * many + str(at) + ")" * many
        return Draft(f"{said}. Find ${form}$.", str(result), {"f": f, "at": at, "_many": many})
    both = f"{said} and $g(x) = {polynomial(g)}$."
    facts = {"f": f, "g": g, "at": at}
    if level in (3, 4):
        order = pick(rng, ("fg", "gf") if level == 3 else ("fgf", "gfg"))
        result = at
        for name in reversed(order):
            result = value(f if name == "f" else g, result)
        form = "(".join(order) + f"({at}" + ")" * len(order)
        return Draft(f"{both} Find ${form}$.", str(result), {**facts, "_order": order})
    # f has the fixed inverse; f^{-1}(g(at)) is rational
    answer = Fraction(value(g, at) - f[1], f[0])
    question = f"{both} For which number $t$ is $f(t) = g({at})$? {EXACT}"
    return Draft(question, show(answer), facts)


def remainder(rng: Rng, level: int) -> Draft:
    """Return a value of a polynomial, a remainder or an unknown coefficient."""
    degree = (2, 3, 3, 4, 3)[level - 1]
    row = [nonzero(rng, 3), *[between(rng, -6 - level, 6 + level) for _ in range(degree)]]
    at = nonzero(rng, 2 + level // 2)
    value = sum(factor * at**power for power, factor in enumerate(reversed(row)))
    facts = {"row": row, "at": at}
    if level == 1:
        question = f"Let $p(x) = {polynomial(row)}$. Find $p({at})$."
        return Draft(question, str(value), facts)
    divisor = polynomial([1, -at])
    if level <= 4:
        question = f"What is the remainder when ${polynomial(row)}$ is divided by ${divisor}$?"
        return Draft(question, str(value), facts)
    # x^3 term and constant known, the coefficient k of x unknown; the remainder is given
    shown = f"{polynomial([*row[:2], 0, 0])} + kx"
    if row[3]:
        shown += f" {'+' if row[3] > 0 else '-'} {abs(row[3])}"
    question = (
        f"When ${shown}$ is divided by ${divisor}$, the remainder is {value}. Find the number $k$."
    )
    facts = {"row": [*row[:2], row[3]], "at": at, "value": value}
    return Draft(question, str(row[2]), facts)


TEMPLATES: tuple[Template, ...] = (
    linear_equation,
    two_unknowns,
    quadratic_roots,
    sequence,
    ages,
    functions,
    remainder,
)
