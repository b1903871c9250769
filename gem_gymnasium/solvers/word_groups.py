"""What the solvers of word games share: words as arrays, and how well a guess splits them."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from gem_gymnasium.data import words

Table = npt.NDArray[np.unsignedinteger]
"""One row a guess, one column a word: what the guess would be answered if it were that word."""


@cache
def letters_of(length: int) -> npt.NDArray[np.int8]:
    """Return the common words of a length as numbers (a: 0), (words, length)."""
    codes = np.frombuffer("".join(words(length)).encode("ascii"), np.int8)
    return (codes - ord("a")).reshape(-1, length)


def split(table: Table) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return how each guess splits the words, each of which is as likely as any other.

    Returns:
        The bits that are expected to be missing still after the guess (0: it tells every word from
        every other), and the number of different answers, both (guesses,).
    """
    guesses, count = table.shape
    # Of numbers of at most 16 bits, numpy's stable sort is a radix sort: five times as fast.
    ordered = np.sort(table, axis=1, kind="stable")
    starts = np.ones((guesses, count), bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=starts[:, 1:])
    first = np.flatnonzero(starts)  # of each group of equal answers, over all guesses
    sizes = np.diff(first, append=guesses * count)
    bits = np.bincount(first // count, sizes * np.log2(sizes), guesses) / count
    return bits, starts.sum(axis=1)
