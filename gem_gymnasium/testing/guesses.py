"""Guesses at a game's moves from its text alone, for games that do not name their legal moves."""

from __future__ import annotations

import re

import numpy as np

_BRACKETS = re.compile(r"\[[^\[\]\n]{1,40}\]")
_NUMBER = re.compile(r"\d+")
_PLACEHOLDER = re.compile(r"\b(?:[A-Zijknrcxy]|row|col|column|number|index|amount)\b")
_FORMS = (
    "[{0}]", "[{0} {1}]", "[{0} {1} {4}]", "[{0} {1} {4} {5}]", "[{2}{0}]", "[{2}{0} {3}{1}]",
    "[{2}{0}{3}{1}]", "[{2}]", "[{2} {3}]", "[{6}]",
)  # fmt: skip
_SIZES = (3, 5, 10)
_WORDS_SEARCHED = 5_000


def guess(text: str, rng: np.random.Generator) -> str:
    """Return a reply that may be a move: one of the bracketed forms in the text, or one like them.

    Args:
        text: What the player reads; TextArena's games show moves in brackets.
        rng: Where chance comes from.
    """
    shown = list(dict.fromkeys(_BRACKETS.findall(text)))
    size = _SIZES[int(rng.integers(len(_SIZES)))]
    if shown and rng.random() < 0.8:
        move = shown[int(rng.integers(len(shown)))]
        if rng.random() < 0.5:
            return move
        other = _PLACEHOLDER if rng.random() < 0.5 else _NUMBER
        return other.sub(lambda _: str(int(rng.integers(size))), move)
    form = _FORMS[int(rng.integers(len(_FORMS)))]
    numbers = [int(rng.integers(size)) for _ in range(4)]
    letters = [chr(ord("a") + int(rng.integers(size))) for _ in range(2)]
    words = text[-_WORDS_SEARCHED:].split() or ["pass"]
    word = words[int(rng.integers(len(words)))].strip("'\"`,.:;()[]")
    return form.format(*numbers[:2], *letters, *numbers[2:], word)
