"""Words that games share."""

from __future__ import annotations

from functools import lru_cache


def count_of(number: int, noun: str) -> str:
    """Return a number and its noun, in the plural where it is not one: ``1 turn``, ``2 turns``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@lru_cache(maxsize=16_384)  # games show the same words over and over
def spell(word: str) -> str:
    """Return a word as players read it letter by letter: ``crane`` gives ``C R A N E``."""
    return " ".join(word.upper())
