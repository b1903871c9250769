"""Math problems made by seeded generators: 42 templates of six subjects at five levels.

Every answer is computed exactly: a whole number, a fraction, a root or a multiple of pi.
"""

from __future__ import annotations

from typing import NamedTuple

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.tasks.dice import Rng, pick
from gem_gymnasium.tasks.math_synthetic import (
    algebra,
    arithmetic,
    combinatorics,
    geometry,
    number_theory,
    probability,
)
from gem_gymnasium.tasks.math_synthetic.draft import Draft, Template

__all__ = ["LEVELS", "TEMPLATES", "Draft", "Problem", "Template", "problem"]

LEVELS = (1, 2, 3, 4, 5)

_SUBJECTS = {
    "arithmetic": arithmetic.TEMPLATES,
    "algebra": algebra.TEMPLATES,
    "number theory": number_theory.TEMPLATES,
    "combinatorics": combinatorics.TEMPLATES,
    "geometry": geometry.TEMPLATES,
    "probability": probability.TEMPLATES,
}

TEMPLATES: dict[str, tuple[str, Template]] = {
    template.__name__: (subject, template)
    for group in zip(*_SUBJECTS.values(), strict=True)
    for subject, template in zip(_SUBJECTS, group, strict=True)
}
"""Subject and template by name; neighbours are of different subjects."""

_ORDER = tuple(TEMPLATES)


class Problem(NamedTuple):
    """A math problem: its text, its exact answer in LaTeX, and where it comes from."""

    question: str
    answer: str
    subject: str
    template: str
    level: int


def problem(rng: Rng, *, level: int) -> Problem:
    """Draw a problem of a level, from a template that is drawn too.

    Raises:
        ConfigError: There is no such level.
    """
    if level not in LEVELS:
        raise ConfigError(f"level must be from {LEVELS[0]} to {LEVELS[-1]}, got {level}")
    name = pick(rng, _ORDER)
    subject, template = TEMPLATES[name]
    draft = template(rng, level)
    return Problem(draft.question, draft.answer, subject, name, level)
