"""Geometry problems whose numbers are in a picture: 32 templates, drawn to scale with Pillow.

The text names no number, so the picture is needed; the answers are known by construction.
"""

from __future__ import annotations

from typing import NamedTuple

from gem_gymnasium.tasks.dice import Rng, pick
from gem_gymnasium.tasks.geometry_synthetic import circles, polygons, triangles
from gem_gymnasium.tasks.geometry_synthetic.figure import Scene, Template
from gem_gymnasium.tasks.geometry_synthetic.render import SIDE, encoded, need_pillow, picture

__all__ = ["SIDE", "TEMPLATES", "Problem", "Scene", "Template", "need_pillow", "problem"]

TEMPLATES: dict[str, Template] = {
    template.__name__: template
    for module in (triangles, polygons, circles)
    for template in module.TEMPLATES
}
_ORDER = tuple(TEMPLATES)


class Problem(NamedTuple):
    """A geometry problem: its text, its picture (a PNG file), its exact answer in LaTeX."""

    question: str
    image: bytes
    answer: str
    template: str


def problem(rng: Rng) -> Problem:
    """Draw a problem of a template that is drawn too.

    Raises:
        MissingDependency: Pillow is not installed.
    """
    name = pick(rng, _ORDER)
    scene = TEMPLATES[name](rng)
    image = picture(scene, turn=float(rng.uniform(0, 6.283)))
    return Problem(scene.question, encoded(image), scene.answer, name)
