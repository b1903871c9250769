r"""Whether two formulas are equal, by their values in a finite field: exact, linear, hang-proof.

Takes sums, products, quotients and powers of numbers, names, roots: ``x^2-1``, ``\frac{2\pi}{3}``,
``3\sqrt{2}``, ``2^{2023}-1``, ``3+4i``. What has another form, or could be read in two ways
(``1/2x``), is None. Never raises.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import comb
from typing import NamedTuple

from gem_gymnasium.graders.math_field import Field, field
from gem_gymnasium.graders.math_text import as_latex

MAX_CHARS = 400
"""Characters of the longest formula."""

MAX_DEPTH = 40
"""Brackets in brackets."""

MAX_BINOMIAL = 1_000
"""The largest number in a binomial."""

MAX_DIGITS = 60
"""Digits of a number, and of an exponent that is computed."""

_TOKEN = re.compile(
    r"\s*(?:(\d+(?:\.\d+)?|\.\d+)|([a-zA-Z](?:_(?:\w|\{\w+\}))?)|(\\[a-zA-Z]+)|([-+*/^(){}\[\]]))",
    re.ASCII,
)
_FUNCTION = re.compile(r"(?<![a-zA-Z\\])(?:sin|cos|tan|log|ln|exp|sqrt|mod|lim|max|min|gcd|det)")
_CALL = re.compile(r"[fghFGHPC] ?\(")
_GREEK = frozenset((
    "\\pi", "\\alpha", "\\beta", "\\gamma", "\\delta", "\\theta", "\\lambda", "\\mu", "\\phi",
    "\\omega", "\\sigma", "\\rho", "\\tau", "\\varphi", "\\epsilon",
))  # fmt: skip


class Formula(NamedTuple):
    """A formula's value, and what it is made of.

    Args:
        value: In the field.
        names: The names in it.
        sure: Whether formulas of another value are unequal: not so beside decimals, which may be
            rounded, and powers that are names of their own.
    """

    value: int
    names: frozenset[str]
    sure: bool


class _Part(NamedTuple):
    """The value of a part; ``exact`` if it is a rational number that is written out."""

    value: int
    exact: Fraction | None = None


class _Unread(Exception):
    """The text has a form that is not read here."""


def same_formula(left: str, right: str) -> bool | None:
    """Return whether two canonical texts are equal formulas; None if that is not known."""
    first, second = read_formula(left), read_formula(right)
    if first is None or second is None:
        return None
    if first.value == second.value:
        return True
    return False if first.sure and second.sure and first.names == second.names else None


def read_formula(text: str) -> Formula | None:
    """Return the value of a canonical text, or None."""
    text = as_latex(text) if len(text) <= MAX_CHARS else ""
    if not text or _FUNCTION.search(text) or _CALL.search(text):
        return None
    reader = _Reader(text, field())
    try:
        part = reader.sum(0)
        reader.expect("")
    except _Unread:
        return None
    return Formula(part.value, frozenset(reader.names), reader.sure)


class _Reader:
    """Reads one formula from left to right, computing as it goes."""

    def __init__(self, text: str, numbers: Field) -> None:
        self.names: set[str] = set()
        self.sure = True
        self._field, self._p = numbers, numbers.p
        self._tokens: list[str] = []
        place = 0
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                self._tokens = ["?"]
                break
            self._tokens.append(match[0].strip())
            place = match.end()
        self._place = 0

    def _next(self) -> str:
        """Return the token at hand, ``""`` at the end."""
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._next()
        self._place += 1
        return token

    def expect(self, token: str) -> None:
        """Go on behind a token that must be here."""
        if self._take() != token:
            raise _Unread

    def sum(self, depth: int) -> _Part:
        """Read terms."""
        if depth > MAX_DEPTH:
            raise _Unread
        total = self._product(depth)
        while self._next() in ("+", "-"):
            sign = 1 if self._take() == "+" else -1
            term = self._product(depth)
            exact = None
            if total.exact is not None and term.exact is not None:
                exact = total.exact + sign * term.exact
            total = _Part((total.value + sign * term.value) % self._p, _small(exact))
        return total

    def _product(self, depth: int) -> _Part:
        """Read factors; a factor without a sign behind a quotient could be in its denominator."""
        product = self._signed(depth)
        divided = False
        while True:
            token = self._next()
            if token in ("*", "/"):
                self._take()
                factor = self._signed(depth)
                divided = token == "/"
            elif token and (token[0].isalpha() or token[0] in "\\({"):
                before = self._tokens[self._place - 1]
                number = before[-1].isdecimal() and not before[0].isalpha()
                if divided or (number and token == "\\frac"):  # 1/2x; 2\frac{1}{2}
                    raise _Unread
                factor = self._power(depth)
            else:
                return product
            product = self._quotient(product, factor) if divided else self._times(product, factor)

    def _times(self, left: _Part, right: _Part) -> _Part:
        exact = None
        if left.exact is not None and right.exact is not None:
            exact = left.exact * right.exact
        return _Part(left.value * right.value % self._p, _small(exact))

    def _quotient(self, above: _Part, below: _Part) -> _Part:
        inverse = self._field.inverse(below.value)
        if inverse is None:
            raise _Unread
        exact = 1 / below.exact if below.exact else None
        return self._times(above, _Part(inverse, exact))

    def _signed(self, depth: int) -> _Part:
        negative = False
        while self._next() in ("+", "-"):
            negative ^= self._take() == "-"
        part = self._power(depth)
        if not negative:
            return part
        return _Part(-part.value % self._p, None if part.exact is None else -part.exact)

    def _power(self, depth: int) -> _Part:
        """Read an atom with its exponent."""
        base = self._atom(depth)
        if self._next() != "^":
            return base
        self._take()
        exponent = self._signed(depth + 1) if self._next() in ("-", "+") else self._atom(depth + 1)
        if self._next() == "^":
            raise _Unread
        return self._raised(base, exponent)

    def _raised(self, base: _Part, exponent: _Part) -> _Part:
        power = exponent.exact
        if power is not None and power.denominator == 1:
            if power < 0 and not base.value:
                raise _Unread
            exact = None
            if base.exact is not None and abs(power) <= 64:
                exact = base.exact ** int(power) if base.exact or power >= 0 else None
            return _Part(pow(base.value, int(power), self._p), _small(exact))
        if power is not None and power.denominator == 2 and base.exact is not None:
            return self._raised(self._root(base), _Part(0, Fraction(power.numerator)))
        self.sure = False
        return _Part(self._field.named((base.value, exponent.value)))

    def _root(self, part: _Part) -> _Part:
        """Return the root of a rational number, of anything else a name of its own."""
        if part.exact is not None:
            n = part.exact.numerator * part.exact.denominator
            value = self._field.root(n)
            below = self._field.inverse(part.exact.denominator)
            if value is not None and below is not None:
                return _Part(value * below % self._p)
        self.sure = False
        return _Part(self._field.named(("root", part.value)))

    def _atom(self, depth: int) -> _Part:
        token = self._take()
        if token[:1].isdecimal() or token[:1] == ".":
            return self._number(token)
        if token in ("(", "{"):
            part = self.sum(depth + 1)
            self.expect(")" if token == "(" else "}")
            if self._next()[:1].isdecimal():
                raise _Unread
            return part
        if token == "\\frac":
            return self._quotient(self._group(depth), self._group(depth))
        if token == "\\binom":
            return self._binomial(self._group(depth), self._group(depth))
        if token == "\\sqrt" and self._next() == "{":
            return self._root(self._group(depth))
        if token in ("i", "I"):
            return _Part(self._field.imaginary_unit())
        if token[:1].isalpha() or token in _GREEK:
            if self._next()[:1].isdecimal():  # x2
                raise _Unread
            self.names.add(token)
            return _Part(self._field.named(token))
        raise _Unread

    def _binomial(self, above: _Part, below: _Part) -> _Part:
        n, k = above.exact, below.exact
        if n is None or k is None or not n.denominator == k.denominator == 1:
            raise _Unread
        if not 0 <= k <= n <= MAX_BINOMIAL:
            raise _Unread
        exact = Fraction(comb(int(n), int(k)))
        return _Part(exact.numerator % self._p, _small(exact))

    def _group(self, depth: int) -> _Part:
        self.expect("{")
        part = self.sum(depth + 1)
        self.expect("}")
        return part

    def _number(self, token: str) -> _Part:
        if len(token) > MAX_DIGITS or self._next()[:1].isdecimal():  # 1 2
            raise _Unread
        if "." in token:
            self.sure = False
        exact = Fraction(token)
        return self._quotient(
            _Part(exact.numerator % self._p), _Part(exact.denominator % self._p)
        )._replace(exact=exact)


def _small(exact: Fraction | None) -> Fraction | None:
    """Return a number that is worth being written out, else None."""
    if exact is None or max(abs(exact.numerator), exact.denominator) >= 10**MAX_DIGITS:
        return None
    return exact
