"""Programming problems made by seeded generators: 39 families with settings of their own.

A program reads its standard input and writes its standard output. The hidden tests are made by the
family's reference solution.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from gem_gymnasium.tasks.code_synthetic import counting, grids, lists, simulation, strings
from gem_gymnasium.tasks.code_synthetic.posed import SIZES, Family, Posed, program
from gem_gymnasium.tasks.dice import Rng, pick

__all__ = ["FAMILIES", "MOST_ALIKE", "TESTS", "Family", "Posed", "Problem", "problem"]

TESTS = 12
"""Hidden tests of a problem."""

MOST_ALIKE = 6
"""How many of them may have the same output."""

_MODULES = (strings, lists, grids, counting, simulation)

FAMILIES: dict[str, Family] = {
    family.__name__: family for module in _MODULES for family in module.FAMILIES
}
_ORDER = tuple(FAMILIES)
_TRIES = 40
_EXAMPLE_SIZES = (0, 1)
_TEST_SIZES = tuple(SIZES[at * len(SIZES) // TESTS] for at in range(TESTS))


class Problem(NamedTuple):
    """A programming problem: its text, its hidden tests, a program that passes them."""

    question: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    program: str
    family: str


def problem(rng: Rng, family: str = "") -> Problem:
    """Draw a problem of a family (``""``: of one that is drawn too)."""
    while True:
        name = family or pick(rng, _ORDER)
        posed = FAMILIES[name](rng)
        tests = _tests(rng, posed, _TEST_SIZES)
        # one output to most of the inputs would let a program pass that prints only that
        if Counter(tests.values()).most_common(1)[0][1] <= MOST_ALIKE and len(tests) == TESTS:
            break
    parts = [
        "Write a Python program that reads from standard input and prints to standard output.",
        posed.task,
        f"Input: {posed.takes}\nOutput: {posed.prints}",
    ]
    for text, shown in _tests(rng, posed, _EXAMPLE_SIZES).items():
        parts.append(f"Example input:\n{text}\nExample output:\n{shown}")
    question = "\n\n".join(parts)
    return Problem(question, (*tests,), (*tests.values(),), program(posed), name)


def _tests(rng: Rng, posed: Posed, sizes: tuple[int, ...]) -> dict[str, str]:
    """Draw different inputs of some sizes, and larger ones in place of what repeats too often."""
    found: dict[str, str] = {}
    for size in sizes:
        for attempt in range(_TRIES):
            text = posed.make_input(rng, min(size + attempt // 5, SIZES[-1]))
            if text in found:
                continue
            output = posed.solve(text, **posed.settings)
            if sum(other == output for other in found.values()) < MOST_ALIKE:
                found[text] = output
                break
    return found
