"""Figures of lines that meet, of quadrilaterals and other polygons, and on squared paper."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from gem_gymnasium.tasks.dice import Rng, between, chance, pick
from gem_gymnasium.tasks.geometry_synthetic.figure import (
    Angle,
    Dot,
    Label,
    Line,
    Mark,
    Right,
    Scene,
    Shade,
    Template,
    closed,
    degrees_between,
    middle,
    names,
    polar,
    side,
)
from gem_gymnasium.tasks.math_synthetic.draft import show, show_root

EXACT = "Give the exact value."


def crossing(rng: Rng) -> Scene:
    """Ask for an angle where two lines cross."""
    angle = between(rng, 28, 152)
    arms = {"A": polar(1, 0), "C": polar(1, angle), "B": polar(1, 180), "D": polar(1, 180 + angle)}
    p, r, q, s = arms.values()
    opposite = chance(rng, 0.5)
    marks = [
        Line(p, q), Line(r, s), *names(arms), Angle(p, 0j, r, f"{angle}°"),
        Angle(q, 0j, s, "x") if opposite else Angle(r, 0j, q, "x"),
    ]  # fmt: skip
    answer = angle if opposite else 180 - angle
    question = "Two straight lines cross. How many degrees is the angle x?"
    return Scene(question, str(answer), {**arms, "_opposite": complex(opposite)}, tuple(marks))


def around_point(rng: Rng) -> Scene:
    """Ask for one of the angles around a point."""
    count = between(rng, 3, 4)
    while True:
        parts = [between(rng, 35, 150) for _ in range(count - 1)]
        last = 360 - sum(parts)
        if 35 <= last <= 150:
            break
    arms = [polar(1, sum(parts[:at])) for at in range(count)]
    marks: list[Mark] = [Line(0j, arm) for arm in arms]
    for at, part in enumerate(parts):
        marks.append(Angle(arms[at], 0j, arms[at + 1], f"{part}°"))
    marks.append(Angle(arms[-1], 0j, arms[0], "x"))
    points = {"A": arms[-1], "B": arms[0]}
    question = "How many degrees is the angle x?"
    return Scene(question, str(last), points, tuple(marks))


def parallels(rng: Rng) -> Scene:
    """Ask for an angle at one of two parallels."""
    angle = between(rng, 38, 142)
    low, high = 0j, polar(1.1, angle)
    end, start = polar(1.75, angle), polar(-0.65, angle)
    marks: list[Mark] = [
        Line(low - 1, low + 1.2, arrows=1), Line(high - 1, high + 1.2, arrows=1), Line(start, end),
        Angle(low + 1, low, end, f"{angle}°"),
    ]  # fmt: skip
    first, second, answer = pick(
        rng,
        (
            (high + 1, end, angle),  # on the same side of both
            (high - 1, low, angle),
            (high + 1, low, 180 - angle),
            (high - 1, end, 180 - angle),
        ),
    )
    marks.append(Angle(first, high, second, "x"))
    question = "The two lines with arrows are parallel. How many degrees is the angle x?"
    points = {"A": first, "B": high, "C": second}
    return Scene(question, str(answer), points, tuple(marks))


def bend(rng: Rng) -> Scene:
    """Ask for the angle of a bend between parallels."""
    low, high = between(rng, 28, 75), between(rng, 28, 75)
    corner = 0j
    down, up = polar(0.9, -180 + low), polar(0.9, 180 - high)
    marks = [
        Line(down - 0.3, down + 1.2, arrows=1), Line(up - 0.3, up + 1.2, arrows=1),
        Line(down, corner), Line(corner, up), Angle(down + 1, down, corner, f"{low}°"),
        Angle(up + 1, up, corner, f"{high}°"), Angle(down, corner, up, "x"),
    ]  # fmt: skip
    question = "The two lines with arrows are parallel. How many degrees is the angle x?"
    points = {"A": down, "B": corner, "C": up}
    return Scene(question, str(low + high), points, tuple(marks))


def four_angles(rng: Rng) -> Scene:
    """Ask for the fourth angle of a quadrilateral."""
    while True:
        at_a, at_b = between(rng, 55, 120), between(rng, 55, 120)
        left, right = between(rng, 6, 12) / 10, between(rng, 6, 12) / 10
        d, c = polar(left, at_a), 1 + polar(right, 180 - at_b)
        near = degrees_between(0j, d, c)
        at_d = round(near)
        if not 50 <= at_d <= 130 or d.real > c.real - 0.3:
            continue
        # move C along its side so that the angle at D is whole
        edge, arm = polar(1, at_a + 180 + at_d), polar(1, 180 - at_b)
        gap = 1 - d
        along = (gap.conjugate() * edge).imag / (edge.conjugate() * arm).imag
        c = 1 + along * arm
        at_c = 360 - at_a - at_b - at_d
        if 0.4 < along < 1.6 and 50 <= at_c <= 130:
            break
    corners = {"A": 0j, "B": 1 + 0j, "C": c, "D": d}
    marks = [
        *closed(*corners.values()), *names(corners), Angle(1 + 0j, 0j, d, f"{at_a}°"),
        Angle(0j, 1 + 0j, c, f"{at_b}°"), Angle(0j, d, c, f"{at_d}°"), Angle(1 + 0j, c, d, "x"),
    ]  # fmt: skip
    return Scene("How many degrees is the angle x?", str(at_c), corners, tuple(marks))


def parallelogram(rng: Rng) -> Scene:
    """Ask for an angle of a parallelogram."""
    angle = pick(rng, (between(rng, 40, 80), between(rng, 100, 140)))
    slanted = polar(0.7, angle)
    corners = {"A": 0j, "B": 1 + 0j, "C": 1 + slanted, "D": slanted}
    p, q, r, s = corners.values()
    opposite = chance(rng, 0.3)
    marks = [
        Line(p, q, arrows=1), Line(s, r, arrows=1), Line(p, s, arrows=2), Line(q, r, arrows=2),
        *names(corners), Angle(q, p, s, f"{angle}°"),
        Angle(q, r, s, "x") if opposite else Angle(p, q, r, "x"),
    ]  # fmt: skip
    question = "Opposite sides are parallel. How many degrees is the angle x?"
    points = {**corners, "_opposite": complex(opposite)}
    return Scene(question, str(angle if opposite else 180 - angle), points, tuple(marks))


def diagonal(rng: Rng) -> Scene:
    """Ask for the diagonal of a rectangle."""
    wide = between(rng, 4, 60)
    high = between(rng, max(2, wide // 2), wide)
    corners = {"A": 0j, "B": complex(wide), "C": complex(wide, high), "D": complex(0, high)}
    p, q, r, s = corners.values()
    inside = middle(corners.values())
    marks = [
        *closed(p, q, r, s), Line(p, r), Right(p, q, r), Right(r, s, p), *names(corners),
        side(p, q, str(wide), inside), side(q, r, str(high), inside), side(p, r, "x", q),
    ]  # fmt: skip
    question = f"How long is the diagonal x of the rectangle? {EXACT}"
    return Scene(question, show_root(wide**2 + high**2), corners, tuple(marks))


def trapezoid(rng: Rng) -> Scene:
    """Ask for the area of a trapezoid."""
    long = between(rng, 8, 40)
    short = between(rng, long // 3, long - 2)
    height = between(rng, long // 3, long)
    start = between(rng, 1, long - short) if long - short > 1 else 1
    corners = {
        "A": 0j, "B": complex(long),
        "C": complex(start + short, height), "D": complex(start, height),
    }  # fmt: skip
    p, q, r, s = corners.values()
    foot = complex(start)
    marks = [
        Line(p, q, arrows=1), Line(q, r), Line(s, r, arrows=1), Line(s, p), *names(corners),
        Line(s, foot, dashed=True), Right(q, foot, s), side(p, q, str(long), r),
        side(s, r, str(short), p), Label(str(height), (s + foot) / 2, 1),
    ]  # fmt: skip
    question = f"AB and CD are parallel. What is the area of the figure ABCD? {EXACT}"
    answer = show(Fraction((long + short) * height, 2))
    return Scene(question, answer, corners, tuple(marks))


def steps(rng: Rng) -> Scene:
    """Ask for the area or the perimeter of an L."""
    wide, high = between(rng, 6, 30), between(rng, 6, 30)
    if not 0.5 < wide / high < 2:
        return steps(rng)
    arm, foot = between(rng, wide // 3, wide * 2 // 3), between(rng, high // 3, high * 2 // 3)
    path = (
        0j, complex(wide), complex(wide, foot), complex(arm, foot), complex(arm, high),
        complex(0, high),
    )  # fmt: skip
    area = chance(rng, 0.6)
    inside = complex(arm, foot) / 2
    marks = [
        *closed(*path), side(path[0], path[1], str(wide), inside),
        side(path[5], path[0], str(high), inside), side(path[1], path[2], str(foot), inside),
        side(path[4], path[5], str(arm), inside), Right(path[5], path[0], path[1]),
        Right(path[0], path[1], path[2]), Right(path[4], path[5], path[0]),
        Right(path[1], path[2], path[3]), Right(path[3], path[4], path[5]),
    ]  # fmt: skip
    if area:
        marks.insert(0, Shade(path))
    what = "area" if area else "perimeter"
    question = f"All corners are right angles. What is the {what} of the figure?"
    answer = wide * foot + arm * (high - foot) if area else 2 * (wide + high)
    points = dict(zip("ABCDEF", path, strict=True))
    return Scene(question, str(answer), {**points, "_area": complex(area)}, tuple(marks))


def rhombus(rng: Rng) -> Scene:
    """Ask for the side or the area of a rhombus."""
    across, up = 2 * between(rng, 3, 24), 2 * between(rng, 3, 24)
    if not 0.45 < across / up < 2.2:
        return rhombus(rng)
    corners = {
        "A": complex(-across / 2), "B": complex(0, -up / 2), "C": complex(across / 2),
        "D": complex(0, up / 2),
    }  # fmt: skip
    p, q, r, s = corners.values()
    area = chance(rng, 0.5)
    marks = [
        Line(p, q, ticks=1), Line(q, r, ticks=1), Line(r, s, ticks=1), Line(s, p, ticks=1),
        Line(p, 0j, dashed=True), Line(0j, r, dashed=True), Line(q, 0j, dashed=True),
        Line(0j, s, dashed=True), Right(r, 0j, s), *names(corners),
        side(p, 0j, str(across // 2), s), side(0j, s, str(up // 2), r),
    ]  # fmt: skip
    what = "What is its area?" if area else "How long is each side?"
    question = (
        "All four sides have the same length. Two halves of the diagonals have their lengths "
        f"written beside them. {what} {EXACT}"
    )
    answer = show(Fraction(across * up, 2)) if area else show_root(Fraction(across**2 + up**2, 4))
    return Scene(question, answer, {**corners, "_area": complex(area)}, tuple(marks))


def regular(rng: Rng) -> Scene:
    """Ask for an angle of a regular polygon."""
    sides = pick(rng, (5, 6, 8, 9, 10, 12))
    corners = tuple(polar(1, 360 * at / sides) for at in range(sides))
    marks: list[Mark] = [
        Line(p, q, ticks=1) for p, q in zip(corners, (*corners[1:], corners[0]), strict=True)
    ]
    inner = chance(rng, 0.5)
    if inner:
        marks.append(Angle(corners[-1], corners[0], corners[1], "x"))
        points = {"A": corners[-1], "B": corners[0], "C": corners[1]}
    else:
        marks += [Line(0j, corners[0], dashed=True), Line(0j, corners[1], dashed=True)]
        marks += [Angle(corners[0], 0j, corners[1], "x"), Dot(0j)]
        points = {"A": corners[0], "B": 0j, "C": corners[1]}
    end = "" if inner else " The dot is its centre."
    question = (
        f"All sides of the polygon are equal, and so are its angles.{end} How many degrees is the "
        "angle x?"
    )
    answer = Fraction(180 * (sides - 2), sides) if inner else Fraction(360, sides)
    return Scene(question, show(answer), points, tuple(marks))


def _paper(size: int) -> list[Mark]:
    lines: list[Mark] = []
    for at in range(size + 1):
        lines.append(Line(complex(at), complex(at, size), dashed=True))
        lines.append(Line(complex(0, at), complex(size, at), dashed=True))
    return lines


def paper_area(rng: Rng) -> Scene:
    """Ask for the area of a triangle on squared paper."""
    size = between(rng, 6, 9)
    while True:
        p, q, r = (complex(between(rng, 0, size), between(rng, 0, size)) for _ in range(3))
        twice = abs(((q - p).conjugate() * (r - p)).imag)
        if twice >= 6:
            break
    corners = {"A": p, "B": q, "C": r}
    marks = [*_paper(size), Shade((p, q, r)), *closed(p, q, r), *names(corners)]
    question = f"Each little square has an area of one. What is the area of the triangle? {EXACT}"
    answer = show(Fraction(round(twice), 2))
    return Scene(question, answer, corners, tuple(marks), turns=False)


def paper_distance(rng: Rng) -> Scene:
    """Ask for a distance on squared paper."""
    size = between(rng, 6, 9)
    while True:
        p, q = (complex(between(rng, 0, size), between(rng, 0, size)) for _ in range(2))
        if (p - q).real and (p - q).imag and abs(p - q) > 2:
            break
    square = round(abs(p - q) ** 2)
    points = {"A": p, "B": q}
    marks = [*_paper(size), Line(p, q), Dot(p), Dot(q), *names(points)]
    question = f"Each little square has sides of length one. How far is A from B? {EXACT}"
    assert abs(sqrt(square) - abs(p - q)) < 1e-9
    return Scene(question, show_root(square), points, tuple(marks), turns=False)


TEMPLATES: tuple[Template, ...] = (
    crossing,
    around_point,
    parallels,
    bend,
    four_angles,
    parallelogram,
    diagonal,
    trapezoid,
    steps,
    rhombus,
    regular,
    paper_area,
    paper_distance,
)
