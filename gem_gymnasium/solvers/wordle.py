"""Wordle by elimination: guess the word that is expected to leave the fewest bits to learn."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.data import words
from gem_gymnasium.games.wordle import write
from gem_gymnasium.solvers.word_groups import Table, letters_of, split

MAX_CELLS = 16_000_000
"""Marks that are worked out ahead; of a length with more words, only every k-th is a guess."""

_BLOCK = 64

_RULES = re.compile(r"Wordle: find a hidden, common English word of (\d+) letters")
_MARKS = re.compile(r"^Guess: ((?:[A-Z] )+[A-Z])\nMarks: ((?:[GY-] )+[GY-])$", re.MULTILINE)
_LEFT = re.compile(r"^Turns left: (\d+)\.", re.MULTILINE)
_DIGITS = str.maketrans("-YG", "012")


def mark_numbers(guesses: npt.NDArray[np.int8], secrets: npt.NDArray[np.int8]) -> Table:
    """Return the marks of each guess for each word, (guesses, words).

    Marks are a number in base 3, the first letter's digit first: 0 for -, 1 for Y, 2 for G.
    """
    length = secrets.shape[1]
    shape = len(guesses), len(secrets)
    number = np.zeros(shape, np.min_scalar_type(3**length - 1))
    green = [guesses[:, None, i] == secrets[None, :, i] for i in range(length)]
    yellow: list[npt.NDArray[np.bool_]] = []
    for i in range(length):
        letter = guesses[:, None, i]
        # The letter's places in the word that no G took, less those that a Y took.
        spare = np.zeros(shape, np.int8)
        for j in range(length):
            spare += (letter == secrets[None, :, j]) & ~green[j]
        for j in range(i):
            spare -= yellow[j] & (letter == guesses[:, None, j])
        yellow.append(~green[i] & (spare > 0))
        number *= 3
        number += yellow[i]
        number += green[i]
        number += green[i]
    return number


@cache
def guesses_of(length: int) -> tuple[npt.NDArray[np.int64], Table]:
    """Return the words that are weighed as a guess (their numbers) and their marks for each word.

    This takes about a second, once a process and length.
    """
    letters = letters_of(length)
    chosen = np.arange(0, len(letters), -(-(len(letters) ** 2) // MAX_CELLS))
    blocks = [chosen[i : i + _BLOCK] for i in range(0, len(chosen), _BLOCK)]
    return chosen, np.concatenate([mark_numbers(letters[block], letters) for block in blocks])


@cache
def opening(length: int) -> int:
    """Return the number of the word that is the best first guess."""
    chosen, table = guesses_of(length)
    return int(chosen[np.argmin(split(table)[0])])


class WordleSolver:
    """Guess the word that is expected to leave the fewest bits to learn about the hidden one.

    It knows the list of words that are hidden, which a player does not. Any of them may be a guess,
    whether or not it can be the hidden word still; in a tie one that can be is taken. With two
    turns left, what counts is the number of different answers: that many words would be won.
    """

    def __init__(self) -> None:
        self._length = 0
        self._open: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._seen: set[str] = set()

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Read the length of the word from the rules.

        Raises:
            ConfigError: The text holds no rules.
        """
        found = _RULES.search(observation)
        if found is None:
            raise ConfigError(f"no rules of Wordle in {observation[:200]!r}")
        self._length = int(found[1])
        self._open = np.arange(len(words(self._length)))
        self._seen = set()

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Drop the words that any marks of the text rule out."""
        for found in _MARKS.finditer(observation):
            if found[0] in self._seen:
                continue
            self._seen.add(found[0])
            guess = np.array([[ord(x) - ord("A") for x in found[1].split()]], np.int8)
            seen = int("".join(found[2].split()).translate(_DIGITS), 3)
            answers = mark_numbers(guess, letters_of(self._length)[self._open])[0]
            self._open = self._open[answers == seen]

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the best guess."""
        self.observe(observation, info)
        left = _LEFT.findall(observation)
        turns = int(left[-1]) if left else 3
        if len(self._open) <= 2 or turns == 1:
            return self._write(self._open[0])
        if not self._seen:
            return self._write(opening(self._length))
        chosen, table = guesses_of(self._length)
        bits, answers = split(table[:, self._open])
        if answers.max() == 1:
            return self._write(self._open[0])  # no guess that is weighed tells them apart
        cost = -answers.astype(np.float64) if turns == 2 else bits
        cost[np.isin(chosen, self._open)] -= 0.5 if turns == 2 else 1e-9
        return self._write(chosen[np.argmin(cost)])

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw a word that all marks allow."""
        return self._write(self._open[int(rng.integers(len(self._open)))])

    def _write(self, number: int | np.int64) -> str:
        return write(words(self._length)[number])
