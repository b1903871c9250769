"""Draw a figure with Pillow, which is imported only here."""

from __future__ import annotations

import cmath
import io
from functools import cache
from importlib.util import find_spec
from math import degrees
from typing import TYPE_CHECKING, Any

from gem_gymnasium.core.errors import MissingDependency
from gem_gymnasium.tasks.geometry_synthetic.figure import (
    Angle,
    Circle,
    Dot,
    Label,
    Line,
    Mark,
    Right,
    Scene,
    Shade,
)

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 448
"""Pixels of a side of the picture."""

_FINE = 2  # drawn larger, then scaled down, for smooth lines
_MARGIN, _ARC, _SQUARE, _AWAY, _TEXT = 54, 30, 15, 17, 20
_INK, _SHADE = "black", "#dadada"


def need_pillow() -> None:
    """Do nothing where Pillow is installed.

    Raises:
        MissingDependency: It is not.
    """
    if find_spec("PIL") is None:
        raise MissingDependency("Pillow", "tasks", "gem/Geometry-Synthetic-v0")


def picture(scene: Scene, turn: float) -> Image:
    """Return a scene as a grey square of ``SIDE`` pixels a side, turned by an angle (radians).

    Raises:
        MissingDependency: Pillow is not installed.
    """
    need_pillow()
    from PIL import Image, ImageDraw

    image = Image.new("L", (SIDE * _FINE, SIDE * _FINE), "white")
    pen = _Pen(ImageDraw.Draw(image), scene, turn)
    order = (Shade, Circle, Line, Right, Angle, Dot, Label)
    for mark in sorted(scene.marks, key=lambda mark: order.index(type(mark))):
        pen.draw(mark)
    return image.reduce(_FINE)


def encoded(image: Image) -> bytes:
    """Return an image as a PNG file."""
    file = io.BytesIO()
    image.save(file, format="PNG", compress_level=1)
    return file.getvalue()


@cache
def _font(pixels: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size=pixels)


class _Pen:
    """Draws marks on an image, after the figure is turned and scaled to it."""

    def __init__(self, draw: Any, scene: Scene, turn: float) -> None:
        self._draw = draw
        self._turn = cmath.rect(1, turn if scene.turns else 0.0)
        ends: list[complex] = []
        for mark in scene.marks:
            if isinstance(mark, Line):
                ends += [mark.start * self._turn, mark.end * self._turn]
            elif isinstance(mark, Circle):
                centre, radius = mark.centre * self._turn, mark.radius
                ends += [centre + radius * (1 + 1j), centre - radius * (1 + 1j)]
        left, right = min(p.real for p in ends), max(p.real for p in ends)
        low, high = min(p.imag for p in ends), max(p.imag for p in ends)
        self._scale = (SIDE - 2 * _MARGIN) * _FINE / max(right - left, high - low)
        self._centre = complex((left + right) / 2, (low + high) / 2)

    def draw(self, mark: Mark) -> None:
        """Draw one mark."""
        if isinstance(mark, Line):
            self._line(mark)
        elif isinstance(mark, Circle):
            at, radius = self._at(mark.centre), mark.radius * self._scale
            box = (at.real - radius, at.imag - radius, at.real + radius, at.imag + radius)
            self._draw.ellipse(box, outline=_INK, width=2 * _FINE, fill=mark.fill or None)
        elif isinstance(mark, Shade):
            self._draw.polygon([_pair(self._at(one)) for one in mark.corners], fill=_SHADE)
        elif isinstance(mark, Angle):
            self._angle(mark)
        elif isinstance(mark, Right):
            corner = self._at(mark.corner)
            one, other = self._towards(mark, _SQUARE * _FINE)
            path = [corner + one, corner + one + other, corner + other]
            self._draw.line([_pair(point) for point in path], fill=_INK, width=_FINE)
        elif isinstance(mark, Dot):
            at, radius = self._at(mark.at), 3.5 * _FINE
            box = (at.real - radius, at.imag - radius, at.real + radius, at.imag + radius)
            self._draw.ellipse(box, fill=_INK)
        else:
            away = mark.away * self._turn
            unit = (away / abs(away)).conjugate() if away else 0
            longer = 1 + 0.22 * max(0, len(mark.text) - 2) * abs(unit.real)
            self._write(mark.text, self._at(mark.at) + unit * _AWAY * _FINE * longer)

    def _at(self, point: complex) -> complex:
        """Return where a point of the figure is on the image, whose y grows downward."""
        moved = (point * self._turn - self._centre) * self._scale
        return moved.conjugate() + complex(SIDE, SIDE) * _FINE / 2

    def _towards(self, mark: Angle | Right, length: float) -> tuple[complex, complex]:
        """Return steps of a length from a corner along its two arms."""
        corner = self._at(mark.corner)
        one, other = self._at(mark.first) - corner, self._at(mark.second) - corner
        return one / abs(one) * length, other / abs(other) * length

    def _line(self, line: Line) -> None:
        start, end = self._at(line.start), self._at(line.end)
        length = abs(end - start)
        if length == 0:
            return
        along = (end - start) / length
        if line.dashed:
            dash, at = 7.0 * _FINE, 0.0
            while at < length:
                tip = min(at + dash, length)
                path = [_pair(start + along * at), _pair(start + along * tip)]
                self._draw.line(path, fill=_INK, width=_FINE)
                at += 2 * dash
        else:
            self._draw.line([_pair(start), _pair(end)], fill=_INK, width=2 * _FINE)
        across = along * 1j * 6 * _FINE
        for number in range(line.ticks):
            at = (start + end) / 2 + along * (number - (line.ticks - 1) / 2) * 6 * _FINE
            self._draw.line([_pair(at - across), _pair(at + across)], fill=_INK, width=2 * _FINE)
        for number in range(line.arrows):
            tip = start + along * (0.7 * length + number * 8 * _FINE)
            back = tip - along * 9 * _FINE
            path = [_pair(back - across), _pair(tip), _pair(back + across)]
            self._draw.line(path, fill=_INK, width=2 * _FINE)

    def _angle(self, mark: Angle) -> None:
        one, other = self._towards(mark, _ARC * _FINE)
        corner = self._at(mark.corner)
        first, second = degrees(cmath.phase(one)), degrees(cmath.phase(other))
        if (second - first) % 360 > 180:
            first, second = second, first
        box = (
            corner.real - abs(one), corner.imag - abs(one),
            corner.real + abs(one), corner.imag + abs(one),
        )  # fmt: skip
        self._draw.arc(box, first, second, fill=_INK, width=_FINE)
        half = (second - first) % 360 / 2
        # between narrow arms the text stands farther out, where there is room for it
        distance = max(_ARC + 17, 17 / max(0.2, abs(cmath.rect(1, half * cmath.pi / 180).imag)))
        bisector = cmath.rect(distance * _FINE, (first + half) * cmath.pi / 180)
        self._write(mark.text, corner + bisector)

    def _write(self, text: str, at: complex) -> None:
        # the white rim keeps a text legible where a line runs through it
        self._draw.text(
            _pair(at), text, fill=_INK, font=_font(_TEXT * _FINE), anchor="mm",
            stroke_width=2 * _FINE, stroke_fill="white",
        )  # fmt: skip


def _pair(point: complex) -> tuple[float, float]:
    return point.real, point.imag
