"""What a family of programming problems makes: words, a reference solution, inputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from gem_gymnasium.tasks.dice import Rng, between, pick

SIZES = (0, 1, 2, 3)
"""Sizes of inputs, from what can be worked out by hand to what needs a sound program."""

_HEADER = """from __future__ import annotations

import heapq
import sys
from bisect import bisect_left
from collections import Counter, deque
from itertools import pairwise
"""


class Posed(NamedTuple):
    """A problem of a family.

    Args:
        task: What the program has to do.
        takes: What it reads.
        prints: What it writes.
        solve: The reference solution, ``solve(text, **settings) -> str``: a function at the top
            level of its module that needs nothing but builtins and the imports of ``_HEADER``.
        settings: What the problem's words say besides.
        make_input: Draws an input of a size.
    """

    task: str
    takes: str
    prints: str
    solve: Callable[..., str]
    settings: dict[str, Any]
    make_input: Callable[[Rng, int], str]


Family = Callable[[Rng], Posed]


@cache
def _source(solve: Callable[..., str]) -> str:
    return inspect.getsource(solve)


def program(posed: Posed) -> str:
    """Return the reference solution as a program of its own."""
    arguments = "".join([f", {name}={value!r}" for name, value in posed.settings.items()])
    call = f"print({posed.solve.__name__}(sys.stdin.read(){arguments}))"
    return f"{_HEADER}\n\n{_source(posed.solve)}\n\n{call}\n"


# -- parts of inputs --------------------------------------------------------------------------


def length_of(rng: Rng, size: int) -> int:
    """Draw how many things an input of a size has."""
    return between(rng, *((1, 4), (3, 8), (8, 30), (60, 120))[size])


def row(numbers: list[int]) -> str:
    """Return numbers as a line."""
    return " ".join(map(str, numbers))


def numbers(rng: Rng, count: int, low: int, high: int) -> list[int]:
    """Draw numbers, both bounds included."""
    return rng.integers(low, high, size=count, endpoint=True).tolist()


def sequence(rng: Rng, size: int, low: int = -20, high: int = 20, least: int = 1) -> str:
    """Draw a line with a count and a line with that many numbers."""
    count = max(least, length_of(rng, size))
    return f"{count}\n{row(numbers(rng, count, low, high))}"


def word(rng: Rng, length: int, letters: str = "abcdefghijklmnopqrstuvwxyz") -> str:
    """Draw a word."""
    return "".join([letters[at] for at in rng.integers(len(letters), size=length).tolist()])


def grid(rng: Rng, size: int, cells: str, least: int = 2) -> list[str]:
    """Draw a grid of cells; ``cells`` holds each as often as it is likely."""
    low, high = ((2, 3), (3, 5), (5, 9), (10, 16))[size]
    rows, columns = between(rng, max(least, low), high), between(rng, max(least, low), high)
    return [word(rng, columns, cells) for _ in range(rows)]


def with_shape(lines: list[str]) -> str:
    """Return a grid under a line with its numbers of rows and columns."""
    return "\n".join([f"{len(lines)} {len(lines[0])}", *lines])


def either(rng: Rng, yes: str, no: str) -> tuple[bool, str]:
    """Draw True or False with the words for it."""
    chosen = bool(rng.integers(2))
    return chosen, yes if chosen else no


def of(rng: Rng, *pairs: tuple[str, str]) -> tuple[str, str]:
    """Draw a kind with the words for it."""
    return pick(rng, pairs)
