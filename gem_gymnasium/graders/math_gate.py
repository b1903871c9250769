r"""Which answers are not given to a computer algebra system: too long, too deep, too costly.

Pure, linear, never raises. The gate spares the workers what is plainly made to hang them
(``9**9**9**9``, ``10^{10^{10}}``, ``(9!)!``); what slips through meets its deadline.
"""

from __future__ import annotations

import re

MAX_CHARS = 1_000
"""Characters of the longest answer."""

MAX_DIGITS = 400
"""Digits of the longest number."""

MAX_DEPTH = 30
"""Brackets in brackets."""

MAX_EXPONENT = 10_000
"""The largest number in an exponent, and of an exponent that is a power itself."""

MAX_FACTORIAL = 1_000
"""The largest number with a factorial, in a binomial, or that a sum or product runs to."""

_DIGITS = re.compile(rf"\d{{{MAX_DIGITS + 1}}}")
_BRACKET = re.compile(r"[({\[]|[)}\]]")
_POWER = re.compile(r"(?:\^|\*\*)[\s({\[+-]*(\d+)")
_TOKEN = re.compile(r"\^|\*\*|\d+|[^\s+-]")
_FACTORIAL = re.compile(r"(\d+)[\s)}\]]*!")
_AGAIN = re.compile(r"![\s)}\]]*!")
_COUNTED = re.compile(r"\\(?:binom|sum|prod|int)(?![a-z])")


def too_costly(answer: str) -> str:
    """Return why an answer is not computed, or ``""``."""
    if len(answer) > MAX_CHARS:
        return f"over {MAX_CHARS} characters"
    if _DIGITS.search(answer):
        return f"a number of over {MAX_DIGITS} digits"
    depth = deepest = 0
    for match in _BRACKET.finditer(answer):
        depth += 1 if match[0] in "({[" else -1
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        return f"brackets over {MAX_DEPTH} deep"
    if any(int(match[1]) > MAX_EXPONENT for match in _POWER.finditer(answer)):
        return f"an exponent over {MAX_EXPONENT}"
    if _has_tower(answer):
        return "a tower of powers"
    if _AGAIN.search(answer) or any(
        int(match[1]) > MAX_FACTORIAL for match in _FACTORIAL.finditer(answer)
    ):
        return f"a factorial over {MAX_FACTORIAL}"
    if _COUNTED.search(answer) and any(
        int(number) > MAX_FACTORIAL for number in re.findall(r"\d+", answer)
    ):
        return f"a sum, product or binomial over {MAX_FACTORIAL}"
    return ""


def _has_tower(answer: str) -> bool:
    """Return whether a power of numbers in an exponent is over ``MAX_EXPONENT``.

    ``2^{2^3}`` is not, ``9^{9^9}`` and ``9**9**9`` are.
    """
    inside = [False]  # for each open bracket: whether it is in an exponent
    begins = ended = False  # an exponent begins here; one ended here
    number = power = ""  # the last number; the base of a power that waits for its exponent
    for token in _TOKEN.findall(answer):
        if token in ("^", "**"):
            power = number if inside[-1] or ended else ""
            begins, ended = True, False
            continue
        if token in "({[":
            inside.append(inside[-1] or begins)
            begins = False
            continue
        if token.isdecimal():
            if power and _is_large(int(power), int(token)):
                return True
            number, power = token, ""
        closes = token in ")}]" and len(inside) > 1
        ended = (inside.pop() and not inside[-1]) if closes else begins
        begins = False
    return False


def _is_large(base: int, exponent: int) -> bool:
    # By their lengths in bits: twice what is allowed, or a little more.
    return base > 1 and exponent * base.bit_length() > 2 * MAX_EXPONENT.bit_length()
