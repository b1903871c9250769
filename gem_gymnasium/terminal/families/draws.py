"""What the generators draw from: words, names, numbers, text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

ItemT = TypeVar("ItemT")

NOUNS: tuple[str, ...] = (
    "amber", "anchor", "basil", "beacon", "birch", "cedar", "cobalt", "copper", "coral", "delta",
    "ember", "fennel", "garnet", "harbor", "hazel", "heron", "indigo", "ivory", "jasper", "juniper",
    "lantern", "laurel", "maple", "meadow", "nectar", "onyx", "orchid", "otter", "pebble", "pepper",
    "quartz", "raven", "ripple", "saffron", "sierra", "sorrel", "tangerine", "thistle", "topaz",
    "umber", "velvet", "walnut", "willow", "zephyr",
)  # fmt: skip

PEOPLE: tuple[str, ...] = (
    "Ada", "Bela", "Chidi", "Dana", "Emil", "Farah", "Gustav", "Hana", "Ines", "Jonas", "Kofi",
    "Lena", "Mara", "Nils", "Olga", "Pavel", "Rosa", "Sven", "Tala", "Uma", "Viktor", "Wanda",
)  # fmt: skip


def pick(rng: np.random.Generator, items: Sequence[ItemT]) -> ItemT:
    """Return one of the items."""
    return items[int(rng.integers(len(items)))]


def pick_some(rng: np.random.Generator, items: Sequence[ItemT], count: int) -> list[ItemT]:
    """Return different items, in an order that is drawn too."""
    return [items[int(place)] for place in rng.permutation(len(items))[:count]]


def between(rng: np.random.Generator, low: int, high: int) -> int:
    """Return an integer in ``low..high``."""
    return int(rng.integers(low, high, endpoint=True))


def shuffled(rng: np.random.Generator, items: Sequence[ItemT]) -> list[ItemT]:
    """Return the items in an order that is drawn."""
    return pick_some(rng, items, len(items))


def words(rng: np.random.Generator, count: int) -> str:
    """Return a line of words."""
    return " ".join(pick(rng, NOUNS) for _ in range(count))
