r"""Numbers as answers write them: exact values, percent signs, units; equal or not.

Pure, linear, never raises. ``read_number`` takes canonical text (``math_text.py``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

from gem_gymnasium.graders.math_unit import Unit, read_unit
from gem_gymnasium.graders.math_words import above_zero, scaled

MAX_CHARS = 400
"""Characters of the longest number read."""

MAX_POWER = 400
"""The largest power of ten that is written out."""

SURE_DIGITS = 6
"""A decimal with so many significant digits may stand for a number that is not quite it."""


class Number(NamedTuple):
    """A number with what is written around it.

    Args:
        value: Exactly; ``50%`` has the value 50.
        percent: Whether a percent sign is there.
        unit: Its unit, or None.
        places: Decimals behind the point, if it was written as a decimal fraction, else None.
    """

    value: Fraction
    percent: bool = False
    unit: Unit | None = None
    places: int | None = None


_WHOLE = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,3}(?: \d{3})+(?!\d)|\d+)"
_DECIMAL = rf"(?:{_WHOLE}(?:\.\d*)?|\.\d+)"
_SIGNED = rf"[-+]? ?{_DECIMAL}"


def _exact(text: str) -> Fraction:
    return Fraction(text.replace(",", "").replace(" ", "").rstrip("."))


def _places(text: str) -> int | None:
    return len(text.partition(".")[2]) if "." in text else None


def _scientific(parts: Mapping[str, str]) -> Number | None:
    power = int(parts["power"])
    if abs(power) > MAX_POWER:
        return None
    mantissa = parts["mantissa"] or "1"
    places = _places(mantissa)
    places = None if places is None else max(0, places - power)
    return Number(_exact(mantissa) * Fraction(10) ** power, places=places)


def _mixed(parts: Mapping[str, str]) -> Number | None:
    below = int(parts["below"])
    if not below:
        return None
    return Number(int(parts["whole"]) + Fraction(int(parts["above"]), below))


def _ratio(parts: Mapping[str, str]) -> Number | None:
    below = _exact(parts["below"])
    return Number(_exact(parts["above"]) / below) if below else None


def _repeating(parts: Mapping[str, str]) -> Number | None:
    stem, period = parts["stem"], parts["period"]
    places = len(stem.partition(".")[2])
    nines = Fraction(int(period), 10 ** len(period) - 1)
    return Number(_exact(stem if stem != "." else "0") + nines / 10**places)


def _plain(parts: Mapping[str, str]) -> Number | None:
    return Number(_exact(parts["plain"]), places=_places(parts["plain"]))


# Each is tried at the start of the text; the first that matches is taken.
_BODIES: tuple[tuple[re.Pattern[str], Callable[[Mapping[str, str]], Number | None]], ...] = (
    (
        re.compile(
            rf"(?P<mantissa>{_DECIMAL}) ?\* ?10 ?\^ ?(?:\{{ ?)?(?P<power>[-+]?\d{{1,4}})\}}?"
        ),
        _scientific,
    ),
    (re.compile(r"(?P<mantissa>)10 ?\^ ?(?:\{ ?)?(?P<power>[-+]?\d{1,4})\}?"), _scientific),
    (re.compile(r"(?P<mantissa>\d+(?:\.\d*)?|\.\d+)[eE](?P<power>[-+]?\d{1,4})"), _scientific),
    (re.compile(r"(?P<whole>\d+) ?\\frac\{(?P<above>\d+)\}\{(?P<below>\d+)\}"), _mixed),
    (re.compile(r"(?P<whole>\d+) (?P<above>\d+) ?/ ?(?P<below>\d+)"), _mixed),
    (re.compile(rf"\\frac\{{(?P<above>{_SIGNED})\}}\{{(?P<below>{_SIGNED})\}}"), _ratio),
    (re.compile(rf"(?P<above>{_DECIMAL}) ?/ ?(?P<below>{_DECIMAL})"), _ratio),
    (re.compile(r"(?P<stem>\d*\.\d*) ?\\overline ?\{?(?P<period>\d+)\}?"), _repeating),
    (re.compile(rf"(?P<plain>{_DECIMAL})"), _plain),
)
_HEAD = re.compile(r"(?P<sign>[-+]?) ?(?P<money>[$€£]?) ?(?P<inner>[-+]?) ?")
_PERCENT = re.compile(r" ?(?:%|percent(?:age)?\b|per cent\b)\.? ?")


_AMOUNT = re.compile(r"(\d+(?:\.\d+)?) ?([a-zA-Z]+)(?:,? and |,? ?)(?=\d|$)")


def _compound(text: str, parts: list[tuple[str, str]]) -> Number | None:
    """Return the amount in units of one kind, each smaller than the last: ``2 hours 30 min``."""
    if "".join(match[0] for match in _AMOUNT.finditer(text)) != text:
        return None
    units = [read_unit(name, apart=True) for _, name in parts]
    known = [unit for unit in units if unit is not None and unit.known]
    sizes = [unit.size for unit in known]
    if len(known) < len(parts) or len({unit.kind for unit in known}) > 1:
        return None
    if sizes != sorted(set(sizes), reverse=True):
        return None
    total = sum(Fraction(amount) * size for (amount, _), size in zip(parts, sizes, strict=True))
    return Number(total / sizes[-1], unit=known[-1])


def read_number(text: str) -> Number | None:
    """Return the number that canonical text is, or None."""
    if len(text) > MAX_CHARS or (not text.isascii() and not _ascii_but_units(text)):
        return None
    if (above := above_zero(text)) is not None:
        number = read_number(above) if above_zero(above) is None else None
        return None if number is None or number.value < 0 else number._replace(value=-number.value)
    if len(parts := _AMOUNT.findall(text)) > 1:
        return _compound(text, parts)
    head = _HEAD.match(text)
    assert head is not None  # all of it is optional
    if head["sign"] and head["inner"]:
        return None
    found, end = None, head.end()
    for pattern, read in _BODIES:
        if match := pattern.match(text, end):
            found, end = read(match.groupdict()), match.end()
            break
    if found is None:
        return None
    value, behind_words = scaled(found.value, text, end)
    if behind_words > end:
        found, end = Number(value), behind_words
    percent = _PERCENT.match(text, end)
    end = percent.end() if percent else end
    rest = text[end:]
    unit = read_unit(head["money"], apart=True) if head["money"] else None
    if rest.strip():
        behind = read_unit(rest.strip(), apart=rest.startswith(" "))
        if behind is None:
            return None
        unit = unit or behind
    value = -found.value if "-" in (head["sign"], head["inner"]) else found.value
    return Number(value, percent is not None, unit, found.places)


def _ascii_but_units(text: str) -> bool:
    return all(character.isascii() or character in "°€£¢" for character in text)


# of money or of weight: the word does not tell
_POUNDS = {read_unit("pounds", apart=True), read_unit("£", apart=True)}


def same_number(left: Number, right: Number) -> bool:
    """Return whether two answers are the same number.

    A percent sign on one side only may or may not have been meant to count. A unit on one side only
    is left out; two known units must measure the same, and are converted; unknown ones ("apples")
    are not compared.
    """
    factor = Fraction(1)
    if left.unit and right.unit and left.unit.known and right.unit.known:
        if {left.unit, right.unit} == _POUNDS:
            return _same(left, right, factor)
        if left.unit.kind != right.unit.kind:
            return False
        factor = left.unit.size / right.unit.size
    if left.percent == right.percent:
        return _same(left, right, factor)
    return _same(left, right, factor) or _same(
        left, right, factor * (Fraction(1, 100) if left.percent else Fraction(100))
    )


def _same(left: Number, right: Number, factor: Fraction) -> bool:
    value = left.value * factor
    if value == right.value:
        return True
    if factor != 1:
        left = Number(value, places=left.places if left.percent == right.percent else None)
    return stands_for(left, right) or stands_for(right, left)


def stands_for(number: Number, exact: Number) -> bool:
    """Return whether a decimal fraction is another number, rounded or cut off.

    For a fraction it needs ``SURE_DIGITS`` significant digits, for another decimal fraction so many
    behind the point: 0.333333 stands for 1/3 and for 0.3333333, 0.33 for neither, and 12345.7 does
    not stand for 12345.67.
    """
    if number.places is None:
        return False
    digits = number.places
    if exact.places is None:
        shifted = number.value * 10**number.places
        digits = len(str(abs(shifted.numerator // shifted.denominator)))
    close = abs(number.value - exact.value) < Fraction(1, 10**number.places)
    return digits >= SURE_DIGITS and close
