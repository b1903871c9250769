"""Figures as data: what is drawn, in the figure's own units, with points as complex numbers."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterable
from math import pi, radians, sin
from typing import NamedTuple

from gem_gymnasium.tasks.dice import Rng


class Line(NamedTuple):
    """A straight line; ``ticks`` mark lines of one length, ``arrows`` parallel ones."""

    start: complex
    end: complex
    dashed: bool = False
    ticks: int = 0
    arrows: int = 0


class Circle(NamedTuple):
    """A circle; ``fill`` is a colour or ``""``."""

    centre: complex
    radius: float
    fill: str = ""


class Shade(NamedTuple):
    """A shaded area inside some corners."""

    corners: tuple[complex, ...]


class Angle(NamedTuple):
    """The angle below 180 degrees between two directions, marked with an arc and a text."""

    first: complex
    corner: complex
    second: complex
    text: str


class Right(NamedTuple):
    """A right angle, marked with a little square."""

    first: complex
    corner: complex
    second: complex


class Label(NamedTuple):
    """A text beside a point, on the side that ``away`` leads to (0: on the point itself)."""

    text: str
    at: complex
    away: complex = 0


class Dot(NamedTuple):
    """A point that is marked."""

    at: complex


Mark = Line | Circle | Shade | Angle | Right | Label | Dot


class Scene(NamedTuple):
    """A question on a figure. ``points`` are what a test measures the answer from."""

    question: str
    answer: str
    points: dict[str, complex]
    marks: tuple[Mark, ...]
    turns: bool = True
    """Whether the figure may be drawn turned."""


Template = Callable[[Rng], Scene]


def polar(length: float, degrees: float) -> complex:
    """Return the point of a length and a direction."""
    return cmath.rect(length, radians(degrees))


def third_corner(a: float, b: float) -> complex:
    """Return the third corner of a triangle on 0 and 1 with angles (degrees) a and b there."""
    return polar(sin(radians(b)) / sin(radians(a + b)), a)


def middle(points: Iterable[complex]) -> complex:
    """Return the mean of some points."""
    points = tuple(points)
    return sum(points) / len(points)


def closed(*corners: complex) -> list[Mark]:
    """Return the sides of a polygon."""
    return [Line(p, q) for p, q in zip(corners, (*corners[1:], corners[0]), strict=True)]


def names(points: dict[str, complex], *, around: complex | None = None) -> list[Mark]:
    """Return the names of points, each on its outer side, as seen from ``around``."""
    centre = middle(points.values()) if around is None else around
    return [Label(name, at, at - centre) for name, at in points.items()]


def side(start: complex, end: complex, text: str, inside: complex) -> Mark:
    """Return the text of a side, on the side that ``inside`` is not on."""
    along = end - start
    normal = along * 1j
    if (normal.conjugate() * (inside - start)).real > 0:
        normal = -normal
    return Label(text, (start + end) / 2, normal)


def degrees_between(first: complex, corner: complex, second: complex) -> float:
    """Return the angle below 180 degrees at a corner."""
    return abs(cmath.phase((second - corner) / (first - corner))) * 180 / pi
