"""Numbers with their base: ``1101_2``, ``25_{8}``, ``1F base 16``. Pure, linear, never raises."""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_CHARS = 100
"""Characters of the longest such number."""

_NAMES = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
          "ten": 10, "twelve": 12, "sixteen": 16}  # fmt: skip
_BASED = re.compile(
    rf"(?P<sign>-?) ?\(?(?P<digits>[0-9a-zA-Z]+)\)?"
    rf"(?: ?_ ?\{{? ?|,? (?:in )?base[ -]?)(?P<base>\d{{1,2}}|{'|'.join(_NAMES)}) ?\}}?",
    re.ASCII,
)


class Based(NamedTuple):
    """A number's digits, in lower case and with its sign, and their base."""

    digits: str
    base: int


def read_based(text: str) -> Based | None:
    """Return the number that text is, with its base; None if it is none.

    A letter with an index (``a_2``) is a name, not a digit.
    """
    match = _BASED.fullmatch(text) if len(text) <= MAX_CHARS else None
    if match is None:
        return None
    digits, name = match["digits"], match["base"]
    base = _NAMES.get(name) or int(name)
    if not (any(map(str.isdecimal, digits)) or (base == 16 and digits.isupper())):
        return None
    try:
        int(digits, base if base > 1 else 37)
    except ValueError:  # a digit that the base does not have, or no such base
        return None
    return Based(match["sign"] + (digits.lower().lstrip("0") or "0"), base)
