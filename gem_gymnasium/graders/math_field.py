"""A finite field in which formulas have values: equal ones the same, others not.

The ring of formulas over whole numbers, roots of the small primes, the imaginary unit and names has
a homomorphism into the integers modulo a prime ``p`` in which all of those roots exist. So formulas
whose values differ are not equal. Formulas whose values agree are: a random ``p`` of some 190 bits
and random values of the names leave a chance of error below 1e-40 (Schwartz and Zippel). Numbers
stay below ``p``, so that no formula can make them grow.
"""

from __future__ import annotations

import functools
import secrets
from math import prod

SMALL = (
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
)  # fmt: skip
"""The primes whose roots are known."""


class Field:
    """The integers modulo a random prime with roots of -1 and of the small primes."""

    def __init__(self) -> None:
        # By quadratic reciprocity a p that is 1 modulo 8 and modulo q has a root of q.
        step = 8 * prod(SMALL[1:])
        candidate = step * secrets.randbits(64) + 1
        while not _is_prime(candidate):
            candidate += step
        self.p = candidate
        self._names: dict[object, int] = {}
        self._roots = {q: self._root(q) for q in (-1, *SMALL)}

    def named(self, name: object) -> int:
        """Return the random value of a name, the same each time."""
        if len(self._names) > 100_000:
            self._names.clear()  # they are compared within one answer only
        return self._names.setdefault(name, secrets.randbelow(self.p - 2) + 2)

    def inverse(self, value: int) -> int | None:
        """Return ``1 / value``, or None for 0."""
        return pow(value, -1, self.p) if value % self.p else None

    def root(self, n: int) -> int | None:
        """Return the value of the root of a whole number, None if it has another large factor.

        The root of a positive number is the positive one, that of a negative one is ``i`` times it.
        """
        if n == 0:
            return 0
        value = self._roots[-1] if n < 0 else 1
        n = abs(n)
        for q in SMALL:
            while n % (q * q) == 0:
                n //= q * q
                value = value * q % self.p
            if n % q == 0:
                n //= q
                value = value * self._roots[q] % self.p
        return value if n == 1 else None

    def imaginary_unit(self) -> int:
        """Return the value of ``i``."""
        return self._roots[-1]

    def _root(self, a: int) -> int:
        """Return a root of a quadratic residue (Tonelli and Shanks)."""
        p = self.p
        odd, twos = p - 1, 0
        while odd % 2 == 0:
            odd, twos = odd // 2, twos + 1
        other = next(z for z in range(2, p) if pow(z, (p - 1) // 2, p) == p - 1)
        c, t, r = pow(other, odd, p), pow(a, odd, p), pow(a, (odd + 1) // 2, p)
        while t != 1:
            i, power = 0, t
            while power != 1:
                power, i = power * power % p, i + 1
            b = pow(c, 1 << (twos - i - 1), p)
            twos, c = i, b * b % p
            t, r = t * c % p, r * b % p
        return r


def _is_prime(n: int) -> bool:
    """Return whether ``n`` is (almost surely) a prime (Miller and Rabin)."""
    if any(n % q == 0 for q in SMALL):
        return n in SMALL
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(32):
        x = pow(secrets.randbelow(n - 3) + 2, odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


@functools.cache
def field() -> Field:
    """Return this process's field."""
    return Field()
