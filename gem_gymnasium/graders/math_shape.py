"""What answers are made of: lists, sets, tuples, intervals, matrices.

Pure, linear, never raises.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

MAX_ITEMS = 64
"""Items of the longest list that is taken apart."""

Kind = Literal["list", "set", "brackets", "matrix"]


class Shape(NamedTuple):
    r"""Items and what is around them.

    Args:
        kind: ``list``: ``1, 2``. ``set``: ``\{1, 2\}``. ``brackets``: ``(1, 2]``. ``matrix``: its
            cells, row by row.
        items: Canonical texts.
        around: The two brackets, or a matrix's number of columns.
    """

    kind: Kind
    items: tuple[str, ...]
    around: str = ""


_MATRIX = re.compile(
    r"\\begin ?\{(?P<name>[bpB]?matrix|array)\} ?(?:\{[lcr| ]*\})?"
    r"(?P<body>[^\\]*(?:\\(?!end)[^\\]*)*)"
    r"\\end ?\{(?P=name)\}"
)
_OTHER_RELATION = re.compile(r"[<>:]|[!<>]=|==|\\(?:le|ge|ne|approx|equiv|in)(?![a-z])")
_ROW_END = "\\cr"
_TOKEN = re.compile(r"\\[{}]|[()\[\]{},;]|(?<![a-zA-Z\\])(?:and|or)(?![a-zA-Z])")
_OPENING = frozenset(("(", "[", "{", "\\{"))
_CLOSING = frozenset((")", "]", "}", "\\}"))


def shape_of(text: str) -> Shape | None:
    """Return what canonical text is made of; None if it is one piece, or too much."""
    if match := _MATRIX.fullmatch(text):
        return _matrix(match["body"])
    items = _split(text)
    if items is None or not all(items):
        return None
    if len(items) > 1:
        return Shape("list", items)
    for opening, closing in (("\\{", "\\}"), ("(", ")"), ("(", "]"), ("[", ")"), ("[", "]")):
        if text.startswith(opening) and text.endswith(closing) and _is_one_group(text):
            inner = text[len(opening) : -len(closing)].strip()
            items = _split(inner)
            if items is None or not all(items):
                return None
            kind = "set" if opening == "\\{" else "brackets"
            return _as_matrix(Shape(kind, items, opening + closing))
    return None


def without_brackets(text: str) -> str:
    r"""Return text without round or curly brackets that only hold it together: ``(5)``, ``{5}``."""
    for _ in range(4):
        inner = text[1:-1].strip()
        if not (text[:1] + text[-1:] in ("()", "{}") and inner and _is_one_group(text)):
            break
        if text[0] == "(" and len(_split(inner) or ()) != 1:
            break
        text = inner
    return text


def equal_parts(text: str) -> list[str]:
    """Return what stands between the signs of equality outside all brackets.

    One part if there is none, or a list or another relation.
    """
    depth, start = 0, 0
    parts: list[str] = []
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and character == "=":
            parts.append(text[start:place].strip())
            start = place + 1
    parts.append(text[start:].strip())
    plain = all(parts) and not _OTHER_RELATION.search(text) and len(_split(text) or ()) == 1
    return parts if plain and len(parts) <= MAX_ITEMS else [text]


def _split(text: str) -> tuple[str, ...] | None:
    """Return the parts between commas outside all brackets; None if brackets do not match."""
    depth, start = 0, 0
    parts: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in _OPENING:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
            if depth < 0:
                return None
        elif depth == 0:
            part, start = text[start : match.start()].strip(), match.end()
            if part or token in ",;":  # ", and" parts once
                parts.append(part)
            if len(parts) > MAX_ITEMS:
                return None
    parts.append(text[start:].strip())
    return None if depth else tuple(parts)


def _is_one_group(text: str) -> bool:
    """Return whether the bracket that opens the text is closed by the one that ends it."""
    depth = 0
    for match in _TOKEN.finditer(text):
        depth += (match[0] in _OPENING) - (match[0] in _CLOSING)
        if depth == 0:
            return match.end() == len(text)
    return False


def _matrix(body: str) -> Shape | None:
    """Return the matrix of LaTeX's rows and cells."""
    rows = [row.split("&") for row in body.split(_ROW_END) if row.strip()]
    return _rectangle([[cell.strip() for cell in row] for row in rows])


def _as_matrix(shape: Shape) -> Shape:
    """Return the matrix that Python's ``[[1, 2], [3, 4]]`` is, other shapes as they are."""
    if shape.around != "[]":
        return shape
    inner = [shape_of(item) if item.startswith("[") else None for item in shape.items]
    rows = [list(row.items) for row in inner if row is not None and row.around == "[]"]
    return (_rectangle(rows) if len(rows) == len(shape.items) else None) or shape


def _rectangle(rows: list[list[str]]) -> Shape | None:
    """Return rows of one length as a matrix."""
    lengths = {len(row) for row in rows}
    cells = tuple(cell for row in rows for cell in row)
    if len(lengths) != 1 or not all(cells) or len(cells) > MAX_ITEMS:
        return None
    return Shape("matrix", cells, str(lengths.pop()))
