"""Geometry in words: rectangles, right triangles, angles, coordinates, circles, boxes, likeness."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

from gem_gymnasium.tasks.dice import Rng, between, chance, pick, pick_some
from gem_gymnasium.tasks.math_synthetic.draft import (
    EXACT,
    Draft,
    Template,
    listing,
    show,
    show_pi,
    show_root,
)

ROOT = "Give the exact value, with a square root if it is not rational."
PI = "Give the exact value in terms of $\\pi$."


def rectangles(rng: Rng, level: int) -> Draft:
    """Return a side, a perimeter or an area of a rectangle or of what it leaves."""
    high, wide = sorted((between(rng, 3, 20 * level), between(rng, 3, 20 * level)))
    thing = pick(rng, ("garden", "field", "hall", "yard", "park", "car park"))
    facts: dict[str, object] = {"sides": [wide, high]}
    if level == 1:
        rule, what, answer = pick(
            rng,
            (
                ("area", "area, in square metres", wide * high),
                ("round", "perimeter, in metres", 2 * (wide + high)),
            ),
        )
        question = f"A rectangular {thing} is {wide} m long and {high} m wide. What is its {what}?"
        return Draft(question, str(answer), {**facts, "_rule": rule})
    if level == 2:
        question = (
            f"A rectangular {thing} has an area of {wide * high} square metres, and one of its "
            f"sides is {wide} m long. What is its perimeter, in metres?"
        )
        return Draft(question, str(2 * (wide + high)), {"area": wide * high, "side": wide})
    if level == 3:
        border = between(rng, 1, 9)
        question = (
            f"Around a rectangular {thing} of {wide} m by {high} m runs a path that is {border} m "
            "wide everywhere and has square corners. What is the area of the path, in square "
            "metres?"
        )
        answer = (wide + 2 * border) * (high + 2 * border) - wide * high
        return Draft(question, str(answer), {**facts, "border": border})
    if level == 4:
        if wide == high:
            wide += 1
        question = (
            f"A rectangular {thing} has a perimeter of {2 * (wide + high)} m and an area of "
            f"{wide * high} square metres. How long is its longer side, in metres?"
        )
        return Draft(
            question, str(max(wide, high)), {"round": 2 * (wide + high), "area": wide * high}
        )
    more = between(rng, 2, 30)
    question = (
        f"The length of a rectangle is {more} cm more than its width, and its diagonal squared is "
        f"{wide**2 + (wide + more) ** 2} square centimetres. What is its area, in square "
        "centimetres?"
    )
    square = wide**2 + (wide + more) ** 2
    return Draft(question, str(wide * (wide + more)), {"more": more, "square": square})


def right_triangles(rng: Rng, level: int) -> Draft:
    """Return a length in a right triangle."""
    a, b = between(rng, 2, 10 + 8 * level), between(rng, 2, 10 + 8 * level)
    if level == 1:
        question = f"The legs of a right triangle are {a} and {b} long. What is its area? {EXACT}"
        return Draft(question, show(Fraction(a * b, 2)), {"legs": [a, b]})
    if level == 2:
        question = (
            f"The legs of a right triangle are {a} and {b} long. How long is its hypotenuse? {ROOT}"
        )
        return Draft(question, show_root(a * a + b * b), {"legs": [a, b]})
    long = max(a, b) + between(rng, 1, 12)
    if level == 3:
        question = (
            f"The hypotenuse of a right triangle is {long} long and one of its legs {a}. "
            f"How long is the other leg? {ROOT}"
        )
        return Draft(question, show_root(long * long - a * a), {"long": long, "leg": a})
    if level == 4:
        question = (
            f"The legs of a right triangle are {a} and {b} long. How far is the corner with the "
            f"right angle from the hypotenuse? {ROOT}"
        )
        return Draft(question, show_root(Fraction((a * b) ** 2, a * a + b * b)), {"legs": [a, b]})
    side, base = between(rng, 10, 60), 2 * between(rng, 2, 9)
    question = (
        f"Two sides of a triangle are {side} long, and the third is {base} long. "
        f"What is its area? {ROOT}"
    )
    half = base // 2
    answer = show_root(half * half * (side * side - half * half))
    return Draft(question, answer, {"side": side, "base": base})


def angles(rng: Rng, level: int) -> Draft:
    """Return an angle, in degrees."""
    a, b = between(rng, 12, 85), between(rng, 12, 85)
    if level == 1:
        question = (
            f"Two angles of a triangle are {a} and {b} degrees. How many degrees has the third?"
        )
        return Draft(question, str(180 - a - b), {"angles": [a, b]})
    if level == 2:
        top = 2 * between(rng, 5, 85)
        question, answer = pick(
            rng,
            (
                (
                    f"In a triangle with two equal sides, the angle between those sides is {top} "
                    "degrees. How many degrees has each of the other two angles?",
                    (180 - top) // 2,
                ),
                (
                    f"The two equal angles of an isosceles triangle are {top // 2} degrees each. "
                    "How many degrees has the third angle?",
                    180 - top,
                ),
            ),
        )
        return Draft(question, str(answer), {"_top": top, "_answer": answer})
    if level == 3:
        while True:
            ratio = [between(rng, 1, 20) for _ in range(3)]
            if gcd(*ratio) == 1:
                break
        which, name = pick(rng, ((max, "largest"), (min, "smallest")))
        question = (
            f"The angles of a triangle are in the ratio {':'.join(map(str, ratio))}. How many "
            f"degrees has the {name}? {EXACT}"
        )
        answer = Fraction(180 * which(ratio), sum(ratio))
        return Draft(question, show(answer), {"ratio": ratio, "_name": name})
    if level == 4:
        sides = between(rng, 5, 60)
        known = [between(rng, 100, 170) for _ in range(between(rng, 1, 3))]
        rest = 180 * (sides - 2) - sum(known)
        others = sides - len(known)
        given = listing([str(angle) for angle in known])
        one = "One angle" if len(known) == 1 else f"{len(known)} of the angles"
        question = (
            f"A polygon has {sides} sides. {one} inside it {'is' if len(known) == 1 else 'are'} "
            f"{given} degrees, and all the others are equal. How many degrees has each of those? "
            f"{EXACT}"
        )
        return Draft(question, show(Fraction(rest, others)), {"sides": sides, "known": known})
    question = (
        f"In a triangle ABC the angle at A is {a} degrees and the angle at B is {b} degrees. The "
        "bisectors of the angles at {} and {} meet at I. How many degrees has the angle {}I{}? "
        + EXACT
    )
    first, second = sorted(pick_some(rng, "ABC", 2))
    at = {"A": a, "B": b, "C": 180 - a - b}
    answer = 180 - Fraction(at[first] + at[second], 2)
    facts = {"a": a, "b": b, "_corners": first + second}
    return Draft(question.format(first, second, first, second), show(answer), facts)


def coordinates(rng: Rng, level: int) -> Draft:
    """Return a distance, an area, or a crossing in a plane with coordinates."""
    bound = 5 + 3 * level
    while True:
        count = (2, 2, 3, 4, 2)[level - 1]
        points = [(between(rng, -bound, bound), between(rng, -bound, bound)) for _ in range(count)]
        if len({*points}) == count and (count < 3 or _area(points[:3])):
            break
    if level == 4:  # the corners of a quadrilateral that does not cross itself, in order
        points = _convex_order(rng, bound)
    names = "ABCD"[: len(points)]
    said = listing([f"${name}{point}$" for name, point in zip(names, points, strict=True)])
    facts: dict[str, object] = {"points": [list(point) for point in points]}
    (x, y), (u, v) = points[:2]
    if level == 1:
        question = f"What is the square of the distance between {said}?"
        return Draft(question, str((x - u) ** 2 + (y - v) ** 2), facts)
    if level == 2:
        question = f"What is the distance between {said}? {ROOT}"
        return Draft(question, show_root((x - u) ** 2 + (y - v) ** 2), facts)
    if level in (3, 4):
        shape = "triangle" if level == 3 else "quadrilateral"
        question = (
            f"What is the area of the {shape} with the corners {said}, in this order? {EXACT}"
        )
        if level == 3:
            question = question.replace(", in this order", "")
        return Draft(question, show(_area(points)), facts)
    while True:
        slope, start = between(rng, -6, 6), between(rng, -20, 20)
        if slope and abs(slope * x - y + start):
            break
    line = f"y = {'' if slope == 1 else '-' if slope == -1 else slope}x"
    line += f" {'+' if start > 0 else '-'} {abs(start)}" if start else ""
    question = f"How far is the point ${points[0]}$ from the line ${line}$? {ROOT}"
    answer = show_root(Fraction((slope * x - y + start) ** 2, slope * slope + 1))
    return Draft(question, answer, {"point": [x, y], "_line": [slope, start]})


def _area(points: list[tuple[int, int]]) -> Fraction:
    """Return the area inside a polygon (the shoelace formula)."""
    turned = [*points[1:], points[0]]
    twice = sum(x * v - u * y for (x, y), (u, v) in zip(points, turned, strict=True))
    return Fraction(abs(twice), 2)


def _convex_order(rng: Rng, bound: int) -> list[tuple[int, int]]:
    """Draw a quadrilateral: one corner in each quadrant, in turn."""
    signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    return [(a * between(rng, 1, bound), b * between(rng, 1, bound)) for a, b in signs]


def circles(rng: Rng, level: int) -> Draft:
    """Return a length or an area of a circle, a sector or a ring."""
    radius = between(rng, 2, 30 * level)
    unit = pick(rng, ("cm", "m", "mm"))
    if level == 1:
        given, value = pick(rng, (("radius", radius), ("diameter", 2 * radius)))
        what, answer = pick(rng, (("area", radius**2), ("circumference", 2 * radius)))
        unit = f"square {unit}" if what == "area" else unit
        question = f"A circle has the {given} {value}. What is its {what}, in {unit}? {PI}"
        question = question.replace(f"{value}.", f"{value} {unit.removeprefix('square ')}.")
        return Draft(question, show_pi(answer), {given: value, "_what": what})
    if level == 2:
        what, answer, given, said = pick(
            rng,
            (
                ("area", radius**2, 2 * radius, f"a circumference of ${2 * radius}\\pi$ {unit}"),
                (
                    "circumference",
                    2 * radius,
                    radius**2,
                    f"an area of ${radius**2}\\pi$ square {unit}",
                ),
            ),
        )
        in_unit = f"square {unit}" if what == "area" else unit
        question = f"A circle has {said}. What is its {what}, in {in_unit}? {PI}"
        return Draft(question, show_pi(answer), {"given": given, "_what": what})
    if level == 3:
        angle = pick(rng, (20, 24, 30, 36, 40, 45, 60, 72, 80, 90, 100, 120, 135, 150))
        what, factor = pick(
            rng,
            (("area", Fraction(angle, 360) * radius**2), ("arc", Fraction(angle, 180) * radius)),
        )
        asked = (
            f"area of the sector, in square {unit}"
            if what == "area"
            else f"length of its arc, in {unit}"
        )
        question = (
            f"A sector of a circle of radius {radius} {unit} has an angle of {angle} degrees. "
            f"What is the {asked}? {PI}"
        )
        return Draft(question, show_pi(factor), {"radius": radius, "angle": angle, "_what": what})
    if level == 4:
        wide = between(rng, 1, 40)
        question = (
            f"A round pond has the radius {radius} m. Around it runs a path that is {wide} m wide. "
            f"What is the area of the path, in square metres? {PI}"
        )
        return Draft(
            question, show_pi((radius + wide) ** 2 - radius**2), {"radius": radius, "wide": wide}
        )
    chord, distance = 2 * between(rng, 1, radius), between(rng, 1, 60)
    if chance(rng, 0.2):
        question = (
            "Two circles have the same centre. A chord of the larger one touches the smaller one "
            f"and is {chord} {unit} long. What is the area between the circles, in square {unit}? "
            f"{PI}"
        )
        return Draft(question, show_pi((chord // 2) ** 2), {"chord": chord})
    question = (
        f"A chord of a circle is {chord} {unit} long and runs {distance} {unit} from the centre. "
        f"What is the area of the circle, in square {unit}? {PI}"
    )
    answer = show_pi(distance**2 + (chord // 2) ** 2)
    return Draft(question, answer, {"chord": chord, "distance": distance})


def boxes(rng: Rng, level: int) -> Draft:
    """Return a volume, a surface or a diagonal of a box, or what happens to it in water."""
    a, b, c = sides = [between(rng, 2, 8 + 6 * level) for _ in range(3)]
    start = f"A box measures {a} cm by {b} cm by {c} cm."
    facts: dict[str, object] = {"sides": sides}
    if level == 1:
        return Draft(f"{start} What is its volume, in cubic centimetres?", str(a * b * c), facts)
    if level == 2:
        question = f"{start} What is the area of its whole surface, in square centimetres?"
        return Draft(question, str(2 * (a * b + b * c + a * c)), facts)
    if level == 3:
        question = f"{start} How long is the diagonal through its inside, in cm? {ROOT}"
        return Draft(question, show_root(a * a + b * b + c * c), facts)
    if level == 4:
        edge = between(rng, 2, 12)
        long, wide, high = (edge * between(rng, 2, 9) for _ in range(3))
        question = (
            f"A wooden block of {long} cm by {wide} cm by {high} cm is painted all over and then "
            f"cut into cubes with edges of {edge} cm. How many of the cubes have no paint on them?"
        )
        inner = (long // edge - 2) * (wide // edge - 2) * (high // edge - 2)
        return Draft(question, str(inner), {"block": [long, wide, high], "edge": edge})
    faces = [a * b, b * c, a * c]
    question = (
        f"Three faces of a box that meet at a corner have areas of {faces[0]}, {faces[1]} and "
        f"{faces[2]} square centimetres. What is its volume, in cubic centimetres?"
    )
    return Draft(question, str(a * b * c), {"faces": faces})


def likeness(rng: Rng, level: int) -> Draft:
    """Return a length, an area or a volume of something that is like something else."""
    small, large = sorted(pick_some(rng, range(2, 10 + 5 * level), 2))
    other = between(rng, 3, 15 * level)
    if level == 1:
        far = between(rng, 2, 90)
        question = (
            f"On a map, {small} cm stand for {large} km. How many km apart are two towns that are "
            f"{far} cm apart on the map? {EXACT}"
        )
        return Draft(
            question, show(Fraction(far * large, small)), {"map": [small, large], "far": far}
        )
    if level == 2:
        other += large
        question = (
            f"A pole of {small} m throws a shadow of {large} m. At the same time a tower throws a "
            f"shadow of {other} m. How high is the tower, in m? {EXACT}"
        )
        answer = Fraction(small * other, large)
        return Draft(question, show(answer), {"pole": [small, large], "shadow": other})
    if level == 3:
        shape = pick(rng, ("triangles", "pentagons", "hexagons", "quadrilaterals"))
        question = (
            f"Two similar {shape} have a pair of matching sides of {small} cm and {large} cm. The "
            f"area of the smaller is {other} square centimetres. What is the area of the larger, "
            f"in square centimetres? {EXACT}"
        )
        answer = Fraction(other * large * large, small * small)
        return Draft(question, show(answer), {"sides": [small, large], "area": other})
    if level == 4:
        other *= 10
        solid = pick(rng, ("cones", "pyramids", "bottles", "statues", "vases"))
        question = (
            f"Two {solid} have the same shape; one is {small} cm high, the other {large} cm. The "
            f"volume of the larger is {other} cubic centimetres. What is the volume of the "
            f"smaller, in cubic centimetres? {EXACT}"
        )
        answer = Fraction(other * small**3, large**3)
        return Draft(question, show(answer), {"heights": [small, large], "volume": other})
    part = between(rng, 1, small - 1) if small > 2 else 1
    question = (
        f"In a triangle ABC, the point D on the side AB has AD = {part} and DB = {large}. The line "
        f"through D parallel to BC meets AC at E. The area of the triangle ADE is {other}. What is "
        f"the area of the quadrilateral DBCE? {EXACT}"
    )
    answer = Fraction(other * (part + large) ** 2, part * part) - other
    return Draft(question, show(answer), {"parts": [part, large], "area": other})


TEMPLATES: tuple[Template, ...] = (
    rectangles,
    right_triangles,
    angles,
    coordinates,
    circles,
    boxes,
    likeness,
)
