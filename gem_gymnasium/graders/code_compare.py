"""Whether what a program put out is right. Pure; it sees data, never the program."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, cast

from gem_gymnasium.graders.values import Other

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|nan)", re.I)


def same_text(output: str, right: str, tolerance: float) -> bool:
    """Return whether two outputs are the same.

    Line ends of any kind are one; white space at the ends of lines, and empty lines at the end and
    at the beginning, do not count. A number with a decimal point or an exponent on either side may
    differ by ``tolerance``, absolutely or relatively.
    """
    left, wanted = _lines(output), _lines(right)
    if left == wanted:
        return True
    if not tolerance or len(left) != len(wanted):
        return False
    return all(
        mine == theirs or _same_words(mine.split(), theirs.split(), tolerance)
        for mine, theirs in zip(left, wanted, strict=True)
    )


def _lines(text: str) -> list[str]:
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    return [line.rstrip() for line in text.split("\n")]


def _same_words(left: Sequence[str], right: Sequence[str], tolerance: float) -> bool:
    return len(left) == len(right) and all(
        mine == theirs or _same_number(mine, theirs, tolerance)
        for mine, theirs in zip(left, right, strict=True)
    )


def _same_number(left: str, right: str, tolerance: float) -> bool:
    if left.lstrip("+-").isdecimal() and right.lstrip("+-").isdecimal():
        return False  # two integers that are not written alike
    if not (_NUMBER.fullmatch(left) and _NUMBER.fullmatch(right)):
        return False
    return _close(float(left), float(right), tolerance)


def _close(left: float, right: float, tolerance: float) -> bool:
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return math.isclose(left, right, rel_tol=tolerance, abs_tol=tolerance)


def same_value(result: Any, right: Any, tolerance: float) -> bool:
    """Return whether a function's result is what it should be.

    As Python's ``==``, but tuples are lists (JSON has none), a float may differ by ``tolerance``,
    and ``nan`` is ``nan``.
    """
    if isinstance(result, Other):
        return False
    if isinstance(result, float | complex) or isinstance(right, float | complex):
        return _same_float(result, right, tolerance)
    if isinstance(right, list | tuple):
        if not isinstance(result, list | tuple):
            return False
        mine, theirs = cast("Sequence[Any]", result), cast("Sequence[Any]", right)
        return len(mine) == len(theirs) and all(
            same_value(left, wanted, tolerance) for left, wanted in zip(mine, theirs, strict=True)
        )
    if isinstance(right, dict) and isinstance(result, dict):
        table, other = cast("dict[Any, Any]", result), cast("dict[Any, Any]", right)
        return table.keys() == other.keys() and all(
            same_value(table[key], other[key], tolerance) for key in other
        )
    return bool(result == right)


def _same_float(result: Any, right: Any, tolerance: float) -> bool:
    numbers = (int, float, complex)
    if not (isinstance(result, numbers) and isinstance(right, numbers)):
        return False
    try:
        left, wanted = complex(result), complex(right)
    except OverflowError:
        return result == right
    return _close(left.real, wanted.real, tolerance) and _close(left.imag, wanted.imag, tolerance)
