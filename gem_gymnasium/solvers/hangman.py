"""Hangman by elimination: guess the letter that is expected to leave the fewest bits to learn."""

from __future__ import annotations

import re
from collections import deque
from functools import cache
from string import ascii_lowercase
from typing import Any

import numpy as np
import numpy.typing as npt

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.data import words
from gem_gymnasium.games.hangman import write
from gem_gymnasium.solvers.word_groups import Table, letters_of, split

_VIEW = re.compile(r"^Word: ([A-Z_](?: [A-Z_])*)\nMissed: (.*)$", re.MULTILINE)
_LEFT = re.compile(r"^(?:Misses|Turns) left: (\d+)\.", re.MULTILINE)


@cache
def places_of(length: int) -> Table:
    """Return where each letter stands in each word, (26, words): bit ``i`` for place ``i``."""
    letters = letters_of(length)
    table = np.zeros((26, len(letters)), np.uint16)
    for place in range(length):
        table[letters[:, place], np.arange(len(letters))] |= np.uint16(1 << place)
    return table


class HangmanSolver:
    """Guess the letter that is expected to leave the fewest bits to learn about the word.

    It knows the list of words that are hidden, which a player does not. It names the word when
    at most two are left, and with the last turn or miss. A letter that tells words apart leaves
    fewer of them, so once there are no more words than turns it wins for sure.
    """

    def __init__(self) -> None:
        self._length = 0
        self._open: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._tried: set[str] = set()
        self._tries = 0

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Read the word as far as it is shown.

        Raises:
            ConfigError: The text holds no such word.
        """
        if _VIEW.search(observation) is None:
            raise ConfigError(f"no word of Hangman in {observation[-400:]!r}")
        self.observe(observation, info)

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Find the words that the last view of the text allows."""
        found = deque(_VIEW.finditer(observation), maxlen=1)
        if not found:
            return
        shown = found[0][1].lower().split()
        # Guesses stand in capitals: "none" is no guess, though it is a word.
        missed = {guess.lower() for guess in found[0][2].split(", ") if guess.isupper()}
        self._length = len(shown)
        self._tried = {*shown, *filter(lambda guess: len(guess) == 1, missed)} - {"_"}
        places = places_of(self._length)
        fits = np.ones(places.shape[1], bool)
        for letter in self._tried:
            where = sum(1 << place for place, x in enumerate(shown) if x == letter)
            fits &= places[ord(letter) - ord("a")] == where
        for guess in filter(lambda guess: len(guess) == self._length, missed):
            letters = [ord(x) - ord("a") for x in guess]
            fits &= (letters_of(self._length) != letters).any(axis=1)
        self._open = np.flatnonzero(fits)
        left = _LEFT.finditer(observation, found[0].end())
        self._tries = min((int(count[1]) for count in left), default=1)

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the best guess."""
        self.observe(observation, info)
        if len(self._open) <= 2 or self._tries == 1:
            return self._name(0)
        letters = [letter for letter in ascii_lowercase if letter not in self._tried]
        table = places_of(self._length)[[ord(x) - ord("a") for x in letters]][:, self._open]
        bits, _ = split(table)
        return write(letters[int(np.argmin(bits))])

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw a word that the view allows."""
        return self._name(int(rng.integers(len(self._open))))

    def _name(self, index: int) -> str:
        return write(words(self._length)[int(self._open[index])])
