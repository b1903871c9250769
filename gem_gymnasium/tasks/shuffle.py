"""A shuffle that needs no list: the k-th of n in a random order, in constant time and memory.

A Feistel network permutes the numbers below a power of four; numbers that are not below n are put
through it again until they are (cycle walking: Black and Rogaway, "Ciphers with Arbitrary Finite
Domains", 2002), which permutes those below n.
"""

from __future__ import annotations

_ROUNDS = 6
_LEAST_HALF_BITS = 4
_MASK = (1 << 64) - 1


def shuffled(position: int, n: int, key: int) -> int:
    """Return which of ``range(n)`` stands at ``position`` of the order that ``key`` names.

    Args:
        position: From 0 to n - 1.
        n: At least 1.
        key: Any 64 bits.
    """
    half = max(_LEAST_HALF_BITS, ((n - 1).bit_length() + 1) // 2)
    low = (1 << half) - 1
    value = position
    while True:
        left, right = value >> half, value & low
        for turn in range(_ROUNDS):
            left, right = right, left ^ (_mixed(right + (turn << 32), key) & low)
        value = left << half | right
        if value < n:
            return value


def _mixed(value: int, key: int) -> int:
    """Return 64 bits that depend on all bits of both (the finalizer of SplitMix64, twice)."""
    value ^= key
    for _ in range(2):
        value = (value + 0x9E3779B97F4A7C15) & _MASK
        value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        value = ((value ^ value >> 27) * 0x94D049BB133111EB) & _MASK
        value ^= value >> 31
    return value
