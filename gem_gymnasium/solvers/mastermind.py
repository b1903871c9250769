"""Mastermind by elimination: guess the consistent code that leaves the fewest others on average."""

from __future__ import annotations

import re
from itertools import permutations, product
from math import perm
from typing import Any

import numpy as np
import numpy.typing as npt

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.mastermind import write

MAX_CODES = 100_000
"""Codes of the largest game that is solved; all of them are held in memory."""

_MAX_COMPARED = 512
"""Consistent codes that are weighed as the next guess, out of at most four times as many."""

_RULES = re.compile(r"code of (\d+) digits from 1 to (\d+) ")
_REPEATS = "The digits may repeat."
_PEGS = re.compile(r"^((?:\d )+\d): (\d+) black, (\d+) white\.", re.MULTILINE)

Codes = npt.NDArray[np.int8]


def all_codes(length: int, digits: int, duplicates: bool) -> Codes:
    """Return every code, in ascending order, (codes, length).

    Raises:
        ConfigError: There are more than ``MAX_CODES``.
    """
    count = digits**length if duplicates else perm(digits, length)
    if count > MAX_CODES:
        raise ConfigError(f"at most {MAX_CODES} codes can be solved, this game has {count}")
    every = range(1, digits + 1)
    codes = product(every, repeat=length) if duplicates else permutations(every, length)
    return np.array(list(codes), np.int8)


def peg_table(guesses: Codes, codes: Codes, digits: int) -> npt.NDArray[np.int16]:
    """Return ``black * (length + 1) + white`` of each guess for each code, (guesses, codes)."""
    length = guesses.shape[1]
    black = np.zeros((len(guesses), len(codes)), np.int16)
    common = np.zeros_like(black)
    for place in range(length):
        black += guesses[:, None, place] == codes[None, :, place]
    for digit in range(1, digits + 1):
        mine = (guesses == digit).sum(axis=1, dtype=np.int16)  # (guesses,)
        theirs = (codes == digit).sum(axis=1, dtype=np.int16)  # (codes,)
        common += np.minimum(mine[:, None], theirs[None, :])
    return black * (length + 1) + (common - black)


class MastermindSolver:
    """Guess, among the codes that all pegs allow, the one with the smallest expected rest.

    Ties go to the smallest code. Where many codes are left, an even sample of them is compared.
    """

    def __init__(self) -> None:
        self._digits = 0
        self._codes: Codes = np.empty((0, 0), np.int8)
        self._seen: set[str] = set()

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Read the form of the code from the rules.

        Raises:
            ConfigError: The text holds no rules, or the game has too many codes.
        """
        found = _RULES.search(observation)
        if found is None:
            raise ConfigError(f"no rules of Mastermind in {observation[:200]!r}")
        self._digits = int(found[2])
        self._codes = all_codes(int(found[1]), self._digits, _REPEATS in observation)
        self._seen = set()

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Drop the codes that any pegs of the text rule out."""
        for found in _PEGS.finditer(observation):
            if found[0] in self._seen:
                continue
            self._seen.add(found[0])
            guess = np.array([[int(digit) for digit in found[1].split()]], np.int8)
            pegs = int(found[2]) * (guess.shape[1] + 1) + int(found[3])
            self._codes = self._codes[peg_table(guess, self._codes, self._digits)[0] == pegs]

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the consistent code with the smallest expected rest."""
        self.observe(observation, info)
        codes = self._codes
        if len(self._seen) == 0 and len({*codes[0].tolist()}) == codes.shape[1]:
            return self._write(0)  # digits all differ: every first guess splits the codes alike
        guesses = codes[:: -(-len(codes) // _MAX_COMPARED)]
        others = codes[:: -(-len(codes) // (4 * _MAX_COMPARED))]
        table = peg_table(guesses, others, self._digits)
        rests = [np.square(np.bincount(row)).sum() for row in table]
        best = int(np.argmin(rests))
        return write(tuple(guesses[best].tolist()))

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw a code that all pegs allow."""
        return self._write(int(rng.integers(len(self._codes))))

    def _write(self, index: int) -> str:
        return write(tuple(self._codes[index].tolist()))
