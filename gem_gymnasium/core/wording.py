"""Words that games share."""

from __future__ import annotations


def count_of(number: int, noun: str) -> str:
    """Return a number and its noun, in the plural where it is not one: ``1 turn``, ``2 turns``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
