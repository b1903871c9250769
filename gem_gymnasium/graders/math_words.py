"""Words around a number that count: those that scale it, and those that change what is meant.

Pure, linear, never raises.
"""

from __future__ import annotations

import re
from fractions import Fraction

_LARGE = (("thousand", 3), ("million", 6), ("billion", 9), ("trillion", 12))
_PARTS = (
    ("third", 3), ("fourth", 4), ("quarter", 4), ("fifth", 5), ("sixth", 6), ("seventh", 7),
    ("eighth", 8), ("ninth", 9), ("tenth", 10), ("hundredth", 100), ("thousandth", 1000),
    ("millionth", 10**6),
)  # fmt: skip
_SCALES = {
    "tens": Fraction(10), "dozen": Fraction(12), "dozens": Fraction(12), "hundred": Fraction(100),
    "hundreds": Fraction(100), "half": Fraction(1, 2), "halves": Fraction(1, 2),
    **{name + end: Fraction(10**power) for name, power in _LARGE for end in ("", "s")},
    **{name + end: Fraction(1, below) for name, below in _PARTS for end in ("", "s")},
}  # fmt: skip
_SCALE = re.compile(rf"[ -]?({'|'.join(_SCALES)})(?![a-z])", re.IGNORECASE)
_POWER = re.compile(r" (squared|cubed) ?", re.IGNORECASE)
_BELOW_ZERO = re.compile(r" ?(?:below|under) zero", re.IGNORECASE)

_COUNTING = frozenset((
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "point",
    "percent", "squared", "cubed",
))  # fmt: skip
NUMBER_WORDS = _COUNTING | frozenset(_SCALES)
"""Words that are part of a number, never the unit behind it."""

# Before a noun some of them say only what is counted: 4 negative integers, 12 wrong answers.
_STRICT = re.compile(
    r"(?<![\w\\])(?:noon|midnight|(?:north|south)[ -]?(?:east|west)|north|south|east|west|below|"
    r"under|not|no|never|except|least|most|(?:negative|incorrect|wrong|false)(?! [a-z]{3}))(?!\w)",
    re.IGNORECASE,
)
_OPPOSITE = re.compile(
    r"(?<![\w\\])(?:left|right|up|down|above|(?:counter|anti)?-?clockwise|profit|gain|loss|"
    r"increase|decrease|more|less|fewer)(?!\w)",
    re.IGNORECASE,
)
_ONE_NAME = {"fewer": "less", "gain": "profit"}

_CLOCK = re.compile(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?(?::(?P<second>\d\d))? ?"
    r"(?:o'clock )?(?P<half>am|pm|a\. ?m\.?|p\. ?m\.?|noon|midnight)",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"(?:there (?:is|are) )?no (?:real )?solutions?(?: exists?)?|(?:the )?(?:empty|null) set|"
    r"\\emptyset|\\\{ ?\\\}",
    re.IGNORECASE,
)
_SPOKEN = re.compile(r"[-+]? ?[$€£]? ?\d[\d.,]*[a-zA-Z' -]*")


def scaled(value: Fraction, text: str, start: int) -> tuple[Fraction, int]:
    """Return a number times the words behind it (``5 million``), and where those end."""
    end = start
    for _ in range(4):  # hundred thousand million is enough
        match = _SCALE.match(text, end)
        if match is None:
            break
        value, end = value * _SCALES[match[1].lower()], match.end()
    if match := _POWER.fullmatch(text, end):
        value, end = value ** (2 if match[1].lower() == "squared" else 3), match.end()
    return value, end


def above_zero(text: str) -> str | None:
    """Return text without "below zero" at its end, or None if it does not end so."""
    for match in _BELOW_ZERO.finditer(text):
        if match.end() == len(text):
            return text[: match.start()]
    return None


def contradict(left: str, right: str) -> bool:
    """Return whether words of two texts say that they do not mean the same.

    ``5 miles east`` is neither ``5 miles west`` nor ``5 miles``; ``5 more`` is ``5``, not ``5
    less``.
    """
    if _found(_STRICT, left) != _found(_STRICT, right):
        return True
    ways = _found(_OPPOSITE, left), _found(_OPPOSITE, right)
    return bool(ways[0] and ways[1] and ways[0] != ways[1])


def _found(pattern: re.Pattern[str], text: str) -> set[str]:
    words = {re.sub("[ -]", "", match[0].lower()) for match in pattern.finditer(text)}
    return {_ONE_NAME.get(word, word) for word in words}


def clock(text: str) -> tuple[int, int, int, str] | None:
    """Return the time of day that text is (``6 p.m.``, ``10:30 am``, ``12 noon``), or None."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    half = match["half"].lower().replace(".", "").replace(" ", "")
    if match["hour"] == "12":
        half = {"noon": "pm", "midnight": "am"}.get(half, half)
    return int(match["hour"]), int(match["minute"] or 0), int(match["second"] or 0), half


def is_empty_set(text: str) -> bool:
    """Return whether canonical text says that there is nothing: no solution, the empty set."""
    return _EMPTY.fullmatch(text) is not None


def is_spoken(text: str) -> bool:
    """Return whether text is a number with words behind it, of at least three letters."""
    return bool(_SPOKEN.fullmatch(text)) and any(len(word) > 2 for word in _words(text))


def _words(text: str) -> list[str]:
    return re.findall("[a-zA-Z]+", text)
