"""Data files of the package (``SOURCES.md``: where each comes from) and their one loader."""

from __future__ import annotations

import gzip
import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

__all__ = ["Clue", "all_words", "clues", "load_json", "read_text", "word_set", "words"]


def read_text(name: str) -> str:
    """Return a data file of the package as text."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


@cache
def load_json(name: str) -> Any:
    """Return what a JSON file of the package holds; shared, so the caller must not change it."""
    return json.loads(read_text(name))


def words(length: int) -> tuple[str, ...]:
    """Return the common words of ``length`` letters (3 to 12), lower case, in the alphabet's order.

    These are what a game may hide. There are none of other lengths.
    """
    return _read_words("words_common.txt").get(length, ())


@cache
def all_words(length: int) -> tuple[str, ...]:
    """Return every word of ``length`` letters that a guess may be, rare ones included, sorted."""
    return tuple(sorted(words(length) + _read_words("words_other.txt").get(length, ())))


@cache
def word_set(length: int) -> frozenset[str]:
    """Return ``all_words`` as a set, to look words up in (its order is not the same every time)."""
    return frozenset(all_words(length))


@cache
def _read_words(name: str) -> dict[int, tuple[str, ...]]:
    """Return the words of a list by their length: a game of many lengths reads the file once."""
    by_length: dict[int, list[str]] = {}
    for word in read_text(name).split():
        by_length.setdefault(len(word), []).append(word)
    return {length: tuple(group) for length, group in by_length.items()}


class Clue(NamedTuple):
    """A crossword clue and the one word of its length that has it."""

    word: str
    """Upper case, 3 to 9 letters."""
    text: str
    size: int
    """The SCOWL list that first has the word: 10 (the most common words), 20, 35, 40 or 50."""


@cache
def clues() -> tuple[Clue, ...]:
    """Return every crossword clue, those of common words first."""
    data = gzip.decompress(files(__name__).joinpath("clues.txt.gz").read_bytes())
    rows = (line.split("\t") for line in data.decode("ascii").splitlines())
    return tuple(Clue(word.upper(), text, int(size)) for size, word, text in rows)
