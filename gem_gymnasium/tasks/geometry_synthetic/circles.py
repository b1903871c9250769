"""Figures of circles."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from gem_gymnasium.tasks.dice import Rng, between, chance, pick
from gem_gymnasium.tasks.geometry_synthetic.figure import (
    Angle,
    Circle,
    Dot,
    Label,
    Line,
    Mark,
    Right,
    Scene,
    Template,
    closed,
    names,
    polar,
    side,
)
from gem_gymnasium.tasks.math_synthetic.draft import show, show_pi, show_root

EXACT = "Give the exact value."
PI = "Give the exact value in terms of pi."
_SHADE = "#dadada"


def _centre(radius: float = 1) -> list[Mark]:
    return [Circle(0j, radius), Dot(0j)]


def inscribed(rng: Rng) -> Scene:
    """Ask for an angle over a chord, from the one at the centre, or the other way round."""
    half = between(rng, 30, 75)
    a, b, c = polar(1, 270 - half), polar(1, 270 + half), polar(1, between(rng, 65, 115))
    to_outer = chance(rng, 0.5)
    marks = [
        *_centre(), Line(0j, a), Line(0j, b), Line(c, a), Line(c, b),
        *names({"A": a, "B": b, "C": c}, around=0j), Label("O", 0j, 1j),
        Angle(a, 0j, b, f"{2 * half}°" if to_outer else "x"),
        Angle(a, c, b, "x" if to_outer else f"{half}°"),
    ]  # fmt: skip
    points = {"A": a, "B": b, "C": c, "_outer": complex(to_outer)}
    question = "O is the centre of the circle. How many degrees is the angle x?"
    return Scene(question, str(half if to_outer else 2 * half), points, tuple(marks))


def half_circle(rng: Rng) -> Scene:
    """Ask for an angle of a triangle over a diameter."""
    angle = between(rng, 25, 65)
    a, b, c = -1 + 0j, 1 + 0j, polar(1, 2 * angle)
    marks = [
        *_centre(), *closed(a, b, c), *names({"A": a, "B": b, "C": c}, around=0j),
        Label("O", 0j, -1j), Angle(b, a, c, f"{angle}°"), Angle(a, b, c, "x"),
    ]  # fmt: skip
    question = "AB is a diameter of the circle around O. How many degrees is the angle x?"
    return Scene(question, str(90 - angle), {"A": a, "B": b, "C": c}, tuple(marks))


def tangent(rng: Rng) -> Scene:
    """Ask for a length at a tangent."""
    radius = between(rng, 3, 24)
    far = between(rng, radius + max(1, radius // 2), 3 * radius)
    length = sqrt(far * far - radius * radius)
    touch = radius * complex(radius, length) / far
    outer = complex(far)
    marks = [
        *_centre(radius), Line(0j, outer), Line(outer, touch), Line(0j, touch),
        Label("O", 0j, -1 - 1j), Label("P", outer, 1), Label("T", touch, touch),
        side(0j, touch, str(radius), outer), side(0j, outer, str(far), touch),
        side(touch, outer, "x", 0j),
    ]  # fmt: skip
    question = (
        "O is the centre, PT touches the circle at T, and the number beside OP is its whole "
        f"length. How long is PT, marked x? {EXACT}"
    )
    answer = show_root(far * far - radius * radius)
    return Scene(question, answer, {"P": outer, "T": touch}, tuple(marks))


def chord(rng: Rng) -> Scene:
    """Ask for a chord or for its distance from the centre."""
    radius = between(rng, 4, 40)
    distance = between(rng, max(1, radius // 4), radius * 3 // 4)
    half = sqrt(radius * radius - distance * distance)
    a, b, foot = complex(-half, -distance), complex(half, -distance), complex(0, -distance)
    marks = [
        *_centre(radius), Line(a, b), Line(0j, foot), Line(0j, b), Right(b, foot, 0j),
        *names({"A": a, "B": b}, around=0j), Label("O", 0j, 1j),
        side(0j, b, str(radius), a), side(0j, foot, str(distance), b),
    ]  # fmt: skip
    question = f"O is the centre of the circle. How long is the chord AB? {EXACT}"
    answer = show_root(4 * (radius * radius - distance * distance))
    return Scene(question, answer, {"A": a, "B": b}, tuple(marks))


def sector(rng: Rng) -> Scene:
    """Ask for the area or the arc of a sector."""
    radius, angle = between(rng, 2, 30), pick(rng, (30, 36, 40, 45, 60, 72, 90, 100, 120, 135, 150))
    a, b = complex(radius), polar(radius, angle)
    marks = [
        *_centre(radius), Line(0j, a), Line(0j, b), *names({"A": a, "B": b}, around=0j),
        Label("O", 0j, -polar(1, angle / 2)), Angle(a, 0j, b, f"{angle}°"),
        side(0j, a, str(radius), b),
    ]  # fmt: skip
    area = chance(rng, 0.5)
    share = Fraction(angle, 360)
    what = "area of the smaller sector" if area else "length of the shorter arc from A to B"
    question = f"O is the centre of the circle. What is the {what}? {PI}"
    if area:
        question = question.replace("sector", "sector between OA and OB")
    answer = show_pi(share * radius * radius if area else 2 * share * radius)
    points = {"O": 0j, "A": a, "B": b, "_area": complex(area)}
    return Scene(question, answer, points, tuple(marks))


def ring(rng: Rng) -> Scene:
    """Ask for the area of a ring."""
    inner = between(rng, 2, 20)
    outer = between(rng, inner + max(1, inner // 2), 3 * inner)
    tip, end = polar(inner, 150), complex(outer)
    marks = [
        Circle(0j, outer, _SHADE), Circle(0j, inner, "white"), Dot(0j),
        Line(0j, tip), Line(0j, end),
        side(0j, tip, str(inner), -1j), side(0j, end, str(outer), 1j),
    ]  # fmt: skip
    question = (
        "The two circles have the same centre, and their radii are written beside them. What is "
        f"the area of the shaded ring? {PI}"
    )
    points = {"O": 0j, "A": tip, "B": end}
    return Scene(question, show_pi(outer**2 - inner**2), points, tuple(marks))


def crossing_chords(rng: Rng) -> Scene:
    """Ask for a part of a chord that another one cuts."""
    a, b, c = (between(rng, 3, 18) for _ in range(3))
    d = Fraction(a * b, c)
    angle = between(rng, 50, 130)
    turn = polar(1, angle)
    if not 3 <= d <= 22:
        return crossing_chords(rng)
    # chord one along the real axis from -a to b, chord two along `turn` from -c to d, crossing
    # at 0; the centre is as far along each as the middle of the chord
    along, other = (b - a) / 2, (float(d) - c) / 2
    up = (other - along * turn.real) / turn.imag
    centre = complex(along, up)
    ends = {"A": complex(-a), "B": complex(b), "C": -c * turn, "D": float(d) * turn}
    radius = abs(ends["A"] - centre)
    if abs(centre) > 0.72 * radius:
        return crossing_chords(rng)
    p, q, r, s = ends.values()
    marks = [
        Circle(centre, radius), Line(p, q), Line(r, s), *names(ends, around=centre), Dot(0j),
        Label("P", 0j, -turn + 1), Label(str(a), p / 2, 1j), Label(str(b), q / 2, 1j),
        Label(str(c), r / 2, turn * 1j), Label("x", s / 2, turn * 1j),
    ]  # fmt: skip
    question = f"Two chords of a circle cross at P. How long is the line x, from P to D? {EXACT}"
    return Scene(question, show(d), {**ends, "P": 0j, "M": centre}, tuple(marks))


def in_circle(rng: Rng) -> Scene:
    """Ask for an angle of a quadrilateral in a circle."""
    while True:
        arcs = [between(rng, 25, 70) * 2 for _ in range(3)]
        last = 360 - sum(arcs)
        if 50 <= last <= 140:
            break
    at = [0, arcs[0], arcs[0] + arcs[1], sum(arcs)]
    corners = {name: polar(1, where) for name, where in zip("ABCD", at, strict=True)}
    p, q, r, s = corners.values()
    at_a = (arcs[1] + arcs[2]) // 2
    marks = [
        Circle(0j, 1), *closed(p, q, r, s), *names(corners, around=0j),
        Angle(s, p, q, f"{at_a}°"), Angle(q, r, s, "x"),
    ]  # fmt: skip
    question = "All four corners are on the circle. How many degrees is the angle x?"
    return Scene(question, str(180 - at_a), corners, tuple(marks))


TEMPLATES: tuple[Template, ...] = (
    inscribed,
    half_circle,
    tangent,
    chord,
    sector,
    ring,
    crossing_chords,
    in_circle,
)
