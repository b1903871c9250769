"""Figures of triangles."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from gem_gymnasium.tasks.dice import Rng, between, chance, pick
from gem_gymnasium.tasks.geometry_synthetic.figure import (
    Angle,
    Label,
    Line,
    Mark,
    Right,
    Scene,
    Template,
    closed,
    degrees_between,
    middle,
    names,
    polar,
    side,
    third_corner,
)
from gem_gymnasium.tasks.math_synthetic.draft import show, show_root

EXACT = "Give the exact value."


def _two_angles(rng: Rng) -> tuple[int, int]:
    while True:
        a, b = between(rng, 28, 110), between(rng, 28, 110)
        if a + b <= 152:
            return a, b


def third_angle(rng: Rng) -> Scene:
    """Ask for the third angle of a triangle."""
    a, b = _two_angles(rng)
    corners = {"A": 0j, "B": 1 + 0j, "C": third_corner(a, b)}
    p, q, r = corners.values()
    marks = [
        *closed(p, q, r), *names(corners),
        Angle(q, p, r, f"{a}°"), Angle(p, q, r, f"{b}°"), Angle(p, r, q, "x"),
    ]  # fmt: skip
    return Scene("How many degrees is the angle x?", str(180 - a - b), corners, tuple(marks))


def isosceles(rng: Rng) -> Scene:
    """Ask for an angle of a triangle with two marked sides."""
    base = between(rng, 28, 75)
    corners = {"A": 0j, "B": 1 + 0j, "C": third_corner(base, base)}
    p, q, r = corners.values()
    marks: list[Mark] = [Line(p, q), Line(q, r, ticks=1), Line(r, p, ticks=1), *names(corners)]
    top = 180 - 2 * base
    if chance(rng, 0.5):
        marks += [Angle(q, p, r, f"{base}°"), Angle(p, r, q, "x")]
        answer = top
    else:
        marks += [Angle(p, r, q, f"{top}°"), Angle(q, p, r, "x")]
        answer = base
    question = "The two marked sides have the same length. How many degrees is the angle x?"
    return Scene(question, str(answer), corners, tuple(marks))


def outer_angle(rng: Rng) -> Scene:
    """Ask for an angle outside a triangle."""
    a, c = _two_angles(rng)
    b = 180 - a - c
    corners = {"A": 0j, "B": 1 + 0j, "C": third_corner(a, b)}
    p, q, r = corners.values()
    far = 1.6 + 0j
    marks = [
        *closed(p, q, r), Line(q, far), *names({"A": p, "C": r}, around=middle((p, q, r))),
        Label("B", q, -1j),
        Angle(q, p, r, f"{a}°"), Angle(p, r, q, f"{c}°"), Angle(far, q, r, "x"),
    ]  # fmt: skip
    question = "The side AB is extended beyond B. How many degrees is the angle x?"
    return Scene(question, str(a + c), {**corners, "D": far}, tuple(marks))


def _legs(rng: Rng) -> tuple[int, int]:
    a = between(rng, 3, 40)
    return a, between(rng, max(2, a // 2), 2 * a)


def hypotenuse(rng: Rng) -> Scene:
    """Ask for the hypotenuse of a right triangle."""
    a, b = _legs(rng)
    corners = {"A": complex(a), "B": complex(0, b), "C": 0j}
    p, q, r = corners.values()
    inside = middle(corners.values())
    marks = [
        *closed(p, q, r), *names(corners), Right(p, r, q),
        side(r, p, str(a), inside), side(r, q, str(b), inside), side(p, q, "x", inside),
    ]  # fmt: skip
    question = f"How long is the side x of the right triangle? {EXACT}"
    return Scene(question, show_root(a * a + b * b), corners, tuple(marks))


def leg(rng: Rng) -> Scene:
    """Ask for a leg of a right triangle."""
    a, b = _legs(rng)
    long = max(a + 1, round(sqrt(a * a + b * b)))
    other = sqrt(long * long - a * a)
    if not 0.3 < other / a < 3:
        return leg(rng)
    corners = {"A": complex(a), "B": complex(0, other), "C": 0j}
    p, q, r = corners.values()
    inside = middle(corners.values())
    marks = [
        *closed(p, q, r), *names(corners), Right(p, r, q),
        side(r, p, str(a), inside), side(r, q, "x", inside), side(p, q, str(long), inside),
    ]  # fmt: skip
    question = f"How long is the side x of the right triangle? {EXACT}"
    return Scene(question, show_root(long * long - a * a), corners, tuple(marks))


def triangle_area(rng: Rng) -> Scene:
    """Ask for an area, from a side and the height on it."""
    base = between(rng, 6, 40)
    height = between(rng, base // 2, base)
    foot = between(rng, base // 4, base - base // 4)
    corners = {"A": 0j, "B": complex(base), "C": complex(foot, height)}
    p, q, r = corners.values()
    down = complex(foot)
    marks = [
        *closed(p, q, r), Line(r, down, dashed=True), Right(q, down, r), *names(corners),
        side(p, q, str(base), r), side(down, r, str(height), q if foot * 2 > base else p),
    ]  # fmt: skip
    question = f"What is the area of the triangle ABC? {EXACT}"
    return Scene(question, show(Fraction(base * height, 2)), corners, tuple(marks))


def midline(rng: Rng) -> Scene:
    """Ask for the line between two midpoints, or for the side along it."""
    a, b = _two_angles(rng)
    length = between(rng, 5, 80)
    corners = {"A": 0j, "B": 1 + 0j, "C": third_corner(a, b)}
    p, q, r = corners.values()
    d, e = (p + r) / 2, (q + r) / 2
    given = chance(rng, 0.5)
    marks = [
        Line(p, q), Line(p, d, ticks=1), Line(d, r, ticks=1), Line(q, e, ticks=2),
        Line(e, r, ticks=2), Line(d, e),
        *names({**corners, "D": d, "E": e}, around=middle((p, q, r))),
        side(p, q, str(length) if given else "x", r),
        side(d, e, "x" if given else str(length), r),
    ]  # fmt: skip
    question = f"D and E are the midpoints of two sides. How long is the line x? {EXACT}"
    answer = show(Fraction(length, 2)) if given else str(2 * length)
    points = {**corners, "D": d, "E": e, "_given": complex(length), "_whole": complex(given)}
    return Scene(question, answer, points, tuple(marks))


def parallel_cut(rng: Rng) -> Scene:
    """Ask for a part of a side that a parallel cuts."""
    a, b = _two_angles(rng)
    near, far, other = between(rng, 3, 24), between(rng, 3, 24), between(rng, 3, 24)
    if not 0.4 < near / far < 2.5:
        return parallel_cut(rng)
    top = third_corner(a, b)
    corners = {"A": top, "B": 0j, "C": 1 + 0j}
    cut = near / (near + far)
    d, e = top + cut * (0 - top), top + cut * (1 - top)
    inside = middle(corners.values())
    marks = [
        Line(0j, 1 + 0j, arrows=1), Line(top, 0j), Line(top, 1 + 0j), Line(d, e, arrows=1),
        *names({**corners, "D": d, "E": e}, around=inside),
        side(top, d, str(near), inside), side(d, 0j, str(far), inside),
        side(top, e, str(other), inside), side(e, 1 + 0j, "x", inside),
    ]  # fmt: skip
    question = f"DE is parallel to BC. How long is the line x, from E to C? {EXACT}"
    points = {**corners, "D": d, "E": e, "_given": complex(other)}
    return Scene(question, show(Fraction(other * far, near)), points, tuple(marks))


def altitude(rng: Rng) -> Scene:
    """Ask for the height on a hypotenuse, from the parts it cuts."""
    left, right = between(rng, 2, 30), between(rng, 2, 30)
    if not 0.3 < left / right < 3.4:
        return altitude(rng)
    height = sqrt(left * right)
    corners = {"A": 0j, "B": complex(left + right), "C": complex(left, height)}
    p, q, r = corners.values()
    foot = complex(left)
    marks = [
        *closed(p, q, r), Line(r, foot), Right(q, foot, r), Right(p, r, q),
        *names({**corners, "D": foot}, around=middle(corners.values())),
        side(p, foot, str(left), r), side(foot, q, str(right), r), side(foot, r, "x", p),
    ]  # fmt: skip
    question = f"How long is the height x? {EXACT}"
    return Scene(question, show_root(left * right), {**corners, "D": foot}, tuple(marks))


def bisector(rng: Rng) -> Scene:
    """Ask for a part of a side that a bisector cuts."""
    one, other = between(rng, 6, 30), between(rng, 6, 30)
    part = between(rng, 3, 20)
    rest = Fraction(part * other, one)
    base = float(part + rest)
    if not 0.45 < one / other < 2.2 or not abs(one - other) * 1.15 < base < (one + other) * 0.87:
        return bisector(rng)
    along = (one * one + base * base - other * other) / (2 * base)
    top = complex(along, sqrt(one * one - along * along))
    if degrees_between(0j, top, complex(base)) < 50:  # no room for the marks
        return bisector(rng)
    corners = {"A": top, "B": 0j, "C": complex(base)}
    foot = complex(part)
    inside = middle(corners.values())
    marks = [
        *closed(top, 0j, complex(base)), Line(top, foot), Angle(0j, top, foot, "a"),
        Angle(foot, top, complex(base), "a"), *names({**corners, "D": foot}, around=inside),
        side(top, 0j, str(one), inside), side(top, complex(base), str(other), inside),
        side(0j, foot, str(part), inside), side(foot, complex(base), "x", inside),
    ]  # fmt: skip
    question = (
        "The two angles marked a are equal, and D is on BC. How long is the line x, from D to C? "
        f"{EXACT}"
    )
    return Scene(question, show(rest), {**corners, "D": foot}, tuple(marks))


def half_equilateral(rng: Rng) -> Scene:
    """Ask for a side of a right triangle with an angle of 30, 45 or 60 degrees."""
    angle = pick(rng, (30, 45, 60))
    long = between(rng, 2, 80)
    corner = polar(long, angle)
    corners = {"A": 0j, "B": complex(corner.real), "C": corner}
    p, q, r = corners.values()
    inside = middle(corners.values())
    opposite = chance(rng, 0.5)
    marks = [
        *closed(p, q, r), *names(corners), Right(p, q, r), Angle(q, p, r, f"{angle}°"),
        side(p, r, str(long), inside),
        side(q, r, "x", inside) if opposite else side(p, q, "x", inside),
    ]  # fmt: skip
    # the square of the sine and of the cosine
    square = {30: (1, 3), 45: (2, 2), 60: (3, 1)}[angle][0 if opposite else 1]
    question = f"How long is the side x of the right triangle? {EXACT}"
    points = {**corners, "_opposite": complex(opposite)}
    return Scene(question, show_root(Fraction(long * long * square, 4)), points, tuple(marks))


TEMPLATES: tuple[Template, ...] = (
    third_angle,
    isosceles,
    outer_angle,
    hypotenuse,
    leg,
    triangle_area,
    midline,
    parallel_cut,
    altitude,
    bisector,
    half_equilateral,
)
