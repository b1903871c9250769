"""What some data sets of reasoning-gym need so that equal seeds give equal items, and no noise.

Five go through a set, whose order another process does not share (0.1.25).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from importlib import import_module
from typing import Any

from gem_gymnasium.tasks.reasoning_codeio import quiet_pair

_OPTIMIZER = "reasoning_gym.code.contrib.bfit.Compiler.Optimizer"
_KNIGHTS = "reasoning_gym.games.knight_swap"


class InOrder(frozenset[str]):
    """A set of strings that is gone through in their order."""

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(super().__iter__()))

    def __sub__(self, other: AbstractSet[Any]) -> InOrder:
        return InOrder(super().__sub__(other))


def _order_letters(source: Any) -> None:
    source.letters = InOrder(source.letters)


def _order_monomials(source: Any) -> None:
    unordered = source._get_monomials

    def in_order(rng: Any) -> list[Any]:
        return sorted(unordered(rng), key=str)

    source._get_monomials = in_order


def _order_neighbors(source: Any) -> None:
    for graph in source.word_graphs.values():
        for word, neighbors in graph.items():
            graph[word] = sorted(neighbors)


def _order_pieces(source: Any) -> None:
    vars(import_module(_KNIGHTS))["frozenset"] = InOrder  # its solver's sets of positions


def _mute(source: Any) -> None:
    # in place of redirecting stdout, which all threads share
    vars(import_module(_OPTIMIZER))["print"] = _say_nothing


def _run_quietly(source: Any) -> None:
    source._generate_io_pair = quiet_pair


def _say_nothing(*args: Any, **kwargs: Any) -> None:
    """Stand in for ``print``."""


MENDED: Mapping[str, Callable[[Any], None]] = {
    "bf": _mute,
    "codeio": _run_quietly,
    "isomorphic_strings": _order_letters,
    "knight_swap": _order_pieces,
    "polynomial_multiplication": _order_monomials,
    "ransom_note": _order_letters,
    "word_ladder": _order_neighbors,
}
"""What is done to a data set when it is opened, by its name."""
