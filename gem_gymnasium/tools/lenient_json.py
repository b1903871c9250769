"""Read the JSON that models write: as it is where it is JSON, repaired where one reading is left.

Repaired are trailing commas; strings in single quotes; line breaks, control characters and unknown
escapes inside strings; keys without quotes; Python's ``True``, ``False`` and ``None``; and brackets
missing before the tag that closes the call. Whatever could be read in two ways (quotes inside
quotes, a missing comma or value, a key that is there twice, a text that breaks off) is refused,
with its place and what was expected there.

The text comes from a model, so it is hostile input: one pass, in a time that grows with its length
only, to a bounded depth.
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from gem_gymnasium.core.parsing import echo

MAX_DEPTH = 32
"""Brackets inside each other."""

MAX_VALUES = 2_000
"""Values in all, keys not counted."""

MAX_NUMBER_CHARS = 40
"""Characters of the longest number."""

_SPACE = re.compile(r"\s*+")
_STRINGS = {
    '"': re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL),
    "'": re.compile(r"'((?:[^'\\]++|\\.)*+)'", re.DOTALL),
}
_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))",
    re.DOTALL,
)
_ESCAPES = {
    '"': '"', "'": "'", "\\": "\\", "/": "/",
    "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?", re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*+", re.ASCII)
_WORDS = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
}  # fmt: skip
_QUOTES_HINT = ' (inside a string write a double quote as \\" and a line break as \\n)'


class Reading(NamedTuple):
    """What was read, and where it ends; or, with a ``problem``, why and where reading stopped."""

    value: Any
    end: int
    problem: str = ""


class _Refused(Exception):
    """Reading stopped; never leaves this file."""

    def __init__(self, place: int, what: str) -> None:
        super().__init__(what)
        self.place, self.what = place, what


def read_json(text: str, start: int = 0, closed_by: str = "") -> Reading:
    """Read one value.

    Args:
        text: Where it is; what follows the value is left alone.
        start: Where it starts, or white space before it.
        closed_by: A tag that may stand in for missing closing brackets.
    """
    reader = _Reader(text, start, closed_by)
    try:
        return Reading(reader.value(0), reader.place)
    except _Refused as refused:
        return Reading(None, refused.place, explained(text, start, refused.place, refused.what))


def explained(text: str, start: int, place: int, what: str) -> str:
    """Say what is wrong at a place, counting lines and columns from ``start``."""
    line = text.count("\n", start, place) + 1
    column = place - max(text.rfind("\n", start, place) + 1, start) + 1
    # Both sides of the place, so that it is found by eye: models are bad at counting.
    before, after = text[max(start, place - 20) : place], text[place : place + 20]
    near = echo(f"{before}>>>{after or ' (the end)'}", 60)
    return f"line {line}, column {column}: {what}; it is at >>> in {near!r}"


class _Reader:
    """One pass over a text; ``place`` is where the next token starts."""

    def __init__(self, text: str, start: int, closed_by: str) -> None:
        self._text, self.place = text, start
        self._close = re.compile(rf"(?:```\s*+)?{re.escape(closed_by)}") if closed_by else None
        self._values = 0
        self._hint = ""  # after a string, whose quotes may be what is wrong

    def value(self, depth: int) -> Any:
        """Read a value of any kind."""
        self._values += 1
        character = self._next()
        if self._values > MAX_VALUES or depth > MAX_DEPTH:
            raise _Refused(
                self.place, f"over {MAX_VALUES} values, or brackets over {MAX_DEPTH} deep"
            )
        self._hint = ""
        if character == "{":
            return self._object(depth)
        if character == "[":
            return self._array(depth)
        if character in _STRINGS:
            return self._string(character)
        return self._plain()

    def _next(self) -> str:
        """Pass over white space and return the character after it, or ``""``."""
        match = _SPACE.match(self._text, self.place)
        self.place = match.end() if match else self.place
        return self._text[self.place : self.place + 1]

    def _missing(self) -> bool:
        """Return whether the closing tag stands where a bracket should close."""
        return self._close is not None and self._close.match(self._text, self.place) is not None

    def _object(self, depth: int) -> dict[str, Any]:
        self.place += 1
        found: dict[str, Any] = {}
        while True:
            character = self._next()
            if character == "}" and self._taken():
                return found
            if self._missing():
                return found
            start, key = self.place, self._key(character)
            if key in found:
                raise _Refused(start, f"the key {echo(key, 40)!r} is there twice")
            if self._next() != ":":
                raise _Refused(self.place, f"expected ':' after a key{self._hint}")
            self.place += 1
            found[key] = self.value(depth + 1)
            if not self._another("}"):
                return found

    def _array(self, depth: int) -> list[Any]:
        self.place += 1
        found: list[Any] = []
        while True:
            if self._next() == "]" and self._taken():
                return found
            if self._missing():
                return found
            found.append(self.value(depth + 1))
            if not self._another("]"):
                return found

    def _taken(self) -> bool:
        self.place += 1
        self._hint = ""
        return True

    def _another(self, bracket: str) -> bool:
        """Pass over a comma (True: go on) or the bracket that closes (False)."""
        character = self._next()
        if character == bracket or character == ",":
            self.place += 1
            self._hint = ""
            return character == ","
        if self._missing():
            return False
        if not character:
            raise _Refused(self.place, f"the text breaks off before '{bracket}'")
        raise _Refused(self.place, f"expected ',' or '{bracket}'{self._hint}")

    def _key(self, character: str) -> str:
        if character in _STRINGS:
            return self._string(character)
        match = _WORD.match(self._text, self.place)
        if match is None:
            raise _Refused(self.place, "expected a key in double quotes, or '}'")
        self.place = match.end()
        return match[0]

    def _string(self, quote: str) -> str:
        match = _STRINGS[quote].match(self._text, self.place)
        if match is None:
            raise _Refused(self.place, "a string starts here and never ends")
        self.place = match.end()
        self._hint = _QUOTES_HINT
        inside = match[1]
        return _ESCAPE.sub(_unescaped, inside) if "\\" in inside else inside

    def _plain(self) -> Any:
        """Read a number or a word."""
        if match := _NUMBER.match(self._text, self.place):
            number = match[0]
            if len(number) <= MAX_NUMBER_CHARS:
                value = float(number) if match[1] or match[2] else int(number)
                if math.isfinite(value):
                    self.place = match.end()
                    return value
            raise _Refused(self.place, "this number is too large or too long")
        match = _WORD.match(self._text, self.place)
        if match is None or match[0] not in _WORDS:
            raise _Refused(self.place, "expected a value (text stands in double quotes)")
        self.place = match.end()
        return _WORDS[match[0]]


def _unescaped(match: re.Match[str]) -> str:
    high, low, single, other = match.groups()
    if high:  # two halves of one character
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if single:
        return chr(int(single, 16))
    # An escape that JSON does not know is kept as it is: a model's "\d" is a regex.
    return _ESCAPES.get(other, match[0])
