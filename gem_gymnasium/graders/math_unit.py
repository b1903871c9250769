"""Units of measure behind a number: which are the same, and what one is worth in another.

Pure, linear, never raises.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from gem_gymnasium.graders.math_words import NUMBER_WORDS

MAX_CHARS = 60
"""Characters of the longest unit read."""


class Unit(NamedTuple):
    """A unit: what it measures and how much of it. An unknown word measures itself."""

    kind: str
    size: Fraction = Fraction(1)
    known: bool = True


# Kind -> size in that kind's first unit -> names. Plurals in -s need no entry.
_TABLE: dict[str, dict[str, str]] = {
    "length": {
        "1": "m meter metre",
        "1/1000": "mm millimeter millimetre",
        "1/100": "cm centimeter centimetre",
        "1000": "km kilometer kilometre",
        "0.0254": "in inch inches",
        "0.3048": "ft foot feet",
        "0.9144": "yd yard",
        "1609.344": "mi mile",
    },
    "mass": {
        "1": "g gram gm",
        "1/1000": "mg milligram",
        "1000": "kg kilogram",
        "453.59237": "lb pound",
        "28.349523125": "oz ounce",
        "1000000": "ton tonne",
    },
    "time": {
        "1": "s sec second",
        "60": "min minute",
        "3600": "h hr hour",
        "86400": "day",
        "604800": "week",
        "31536000": "year yr",
    },
    "volume": {"1": "l liter litre", "1/1000": "ml milliliter millilitre", "3.785411784": "gallon"},
    "money": {"1": "$ dollar usd", "1/100": "cent ¢"},
    "euro": {"1": "€ euro"},
    "pound sterling": {"1": "£"},
    "angle": {"1": "° degree deg"},
    "temperature": {"1": "°c celsius"},
    "temperature in fahrenheit": {"1": "°f fahrenheit"},
    "force": {"1": "newton", "1000": "kilonewton"},
    "energy": {"1": "joule", "1000": "kilojoule"},
    "power": {"1": "watt", "1000": "kilowatt"},
    "pressure": {"1": "pascal", "1000": "kilopascal"},
    "frequency": {"1": "hertz hz", "1000": "kilohertz khz"},
    "voltage": {"1": "volt"},
    "speed": {"0.44704": "mph", "1/3.6": "kph kmph kmh"},
    "count": {"1": "unit units piece item time"},
}


def _size(text: str) -> Fraction:
    above, _, below = text.partition("/")
    return Fraction(above) / Fraction(below or "1")


_UNITS: dict[str, Unit] = {
    name: Unit(kind, _size(size))
    for kind, sizes in _TABLE.items()
    for size, names in sizes.items()
    for name in names.split()
}

# Signs whose capital letters tell them from names.
_SIGNS = {
    "N": "newton", "kN": "kilonewton", "J": "joule", "kJ": "kilojoule", "W": "watt",
    "kW": "kilowatt", "Pa": "pascal", "kPa": "kilopascal", "V": "volt",
}  # fmt: skip
_DEGREES = re.compile(r"(?:°|degrees?|deg) ?(c|f|celsius|fahrenheit)")

# Words that make an expression of what stands before them, or go on with a sentence.
_NO_UNITS = frozenset((
    "and", "or", "to", "of", "the", "is", "are", "not", "but", "with", "between", "over", "under",
    "plus", "minus", "times", "mod", "choose", "factorial", "sqrt", "log", "ln", "exp", "sin",
    "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "pi",
    "inf", "infinity", "max", "min", "lim", "sum", "theta", "alpha", "beta", "gamma",
)) | NUMBER_WORDS  # fmt: skip
_POWER = re.compile(r"(.+?) ?\^ ?\{? ?([23]) ?\}?")
_WORD = re.compile(r"[a-z]{3,}")


def read_unit(text: str, apart: bool) -> Unit | None:
    """Return the unit that the text behind a number is, or None.

    Args:
        text: Canonical text, without spaces around.
        apart: Whether a space parts it from the number. Without one a single letter is a variable.
    """
    if not text or len(text) > MAX_CHARS or (len(text) == 1 and text.isalpha() and not apart):
        return None
    text = _SIGNS.get(text, text).lower()
    if match := _DEGREES.fullmatch(text):
        text = f"°{match[1][0]}"
    above, slash, below = text.replace(" per ", "/").partition("/")
    unit = _simple(above.strip())
    if unit is None or not slash:
        return unit
    other = _simple(below.strip())
    if other is None or not (unit.known and other.known):
        return None if other is None else Unit(f"{unit.kind} per {other.kind}", known=False)
    if (unit.kind, other.kind) == ("length", "time"):
        return Unit("speed", unit.size / other.size)
    return Unit(f"{unit.kind} per {other.kind}", unit.size / other.size)


def _simple(text: str) -> Unit | None:
    """Return a unit without a slash: a name, a square, a cube, or unknown words."""
    power = 1
    if match := _POWER.fullmatch(text):
        text, power = match[1], int(match[2])
    for word, exponent in (("square ", 2), ("sq ", 2), ("sq. ", 2), ("cubic ", 3), ("cu ", 3)):
        if text.startswith(word):
            text, power = text[len(word) :], exponent
    for word, exponent in ((" squared", 2), (" cubed", 3)):
        if text.endswith(word):
            text, power = text[: -len(word)], exponent
    name = text.rstrip(".")
    unit = _UNITS.get(name) or (_UNITS.get(name[:-1]) if name.endswith("s") else None)
    if unit is not None:
        return unit if power == 1 else Unit(f"{unit.kind}^{power}", unit.size**power)
    words = text.split()
    if words and power == 1 and all(_WORD.fullmatch(word) for word in words):
        if not _NO_UNITS.isdisjoint(words):
            return None
        first = words[0]  # miles north, days ago
        unit = _UNITS.get(first) or (_UNITS.get(first[:-1]) if first.endswith("s") else None)
        return unit or Unit(text, known=False)
    return None
