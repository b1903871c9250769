r"""Read values out of a model's reply: linear time, never an exception, None for "not there".

A reply is hostile input. Every function here takes any str (lone surrogates, NUL, 100,000 digits)
and returns within a time that grows with its length only. ``0`` and ``""`` are values: compare
with ``is None``.
"""

from __future__ import annotations

import re

MAX_DIGITS = 18
"""Digits of the longest integer read; longer runs of digits are no integer (fits 64 bits)."""

MAX_NUMBERS_CHARS = 1_000
"""Characters of the longest list of integers read."""

MAX_WORD_CHARS = 100
"""Characters of the longest word read, spaces included."""

_BOXED = "\\boxed{"
_TEXT = "\\text{"
_BRACES = re.compile(r"\\[{}\\]|\{+|\}+")
_FENCE = re.compile(r"^[ ]{0,3}(```+)([^`\n]*)$", re.MULTILINE)
_INT = re.compile(rf"[+-]?[0-9]{{1,{MAX_DIGITS}}}", re.ASCII)
_SEPARATOR = re.compile(r"\s*,\s*|\s+")


def last_boxed(text: str) -> str | None:
    r"""Return what the last ``\boxed{...}`` holds, braces matched, or None.

    A last box that is never closed gives None (it is an unfinished answer), as does no box at all.
    Of nested boxes the innermost last one counts. Backslash-escaped braces do not nest.
    """
    _, box, rest = text.rpartition(_BOXED)
    # The common case, without a regex: the first closing brace comes before any opening one.
    inside, end, _ = rest.partition("}")
    if not box or not end:
        return None
    if "{" not in inside and "\\" not in inside:
        return inside
    depth = 1
    for match in _BRACES.finditer(rest):
        if match[0][0] == "{":
            depth += len(match[0])
        elif match[0][0] == "}":
            if depth <= len(match[0]):
                return rest[: match.start() + depth - 1]
            depth -= len(match[0])
    return None


def last_fenced(text: str) -> str | None:
    """Return the body of the last closed Markdown code fence, stripped of outer newlines, or None.

    A fence opens with three or more backticks (a language tag may follow) and closes with a line
    of at least as many backticks and nothing else.
    """
    body: str | None = None
    opened: tuple[int, int] | None = None  # (backticks, where the body starts)
    for match in _FENCE.finditer(text):
        ticks, tag = len(match[1]), match[2].strip()
        if opened is None:
            opened = ticks, match.end()
        elif not tag and ticks >= opened[0]:
            body = text[opened[1] : match.start()].strip("\n")
            opened = None
    return body


def last_tag(text: str, tag: str) -> str | None:
    """Return what the last ``<tag>...</tag>`` holds, stripped, or None."""
    end = text.rfind(f"</{tag}>")
    if end < 0:
        return None
    start = text.rfind(f"<{tag}>", 0, end)
    return None if start < 0 else text[start + len(tag) + 2 : end].strip()


def to_int(text: str | None) -> int | None:
    """Return the integer that ``text`` is, or None.

    Only ASCII digits count (``int`` would take those of any script), at most ``MAX_DIGITS`` of
    them, with an optional sign and white space around.
    """
    if text is None:
        return None
    if len(text) <= MAX_DIGITS and text.isascii() and text.isdigit():
        return int(text)  # nearly every answer, without a regex
    match = _INT.fullmatch(text.strip())
    return int(match[0]) if match else None


def to_ints(text: str | None) -> tuple[int, ...] | None:
    """Return the integers that ``text`` lists, parted by white space or commas, or None.

    None if there is no integer, anything else between them, or over ``MAX_NUMBERS_CHARS`` of text.
    """
    if text is None or len(text) > MAX_NUMBERS_CHARS:
        return None
    if len(text) <= MAX_DIGITS and text.isascii() and text.replace(" ", "").isdigit():
        return tuple(map(int, text.split()))  # nearly every answer, without a regex
    numbers: list[int] = []
    for part in _SEPARATOR.split(text.strip()):
        if not _INT.fullmatch(part):
            return None
        numbers.append(int(part))
    return tuple(numbers)


def to_word(text: str | None) -> str | None:
    r"""Return the word that ``text`` is, in lower case, or None.

    Only ASCII letters count, in either case. White space between them is dropped ("C R A N E" is a
    word), and so is a ``\text{}`` around them, which models like to put into a box.
    """
    if text is None or len(text) > MAX_WORD_CHARS:
        return None
    if text.isalpha() and text.isascii():
        return text.lower()  # nearly every answer
    text = text.strip()
    if text.startswith(_TEXT) and text.endswith("}"):
        text = text[len(_TEXT) : -1]
    text = "".join(text.split())
    return text.lower() if text.isalpha() and text.isascii() else None


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which no encoding and no tokenizer takes, by question marks."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


def cut_middle(text: str, max_chars: int) -> str:
    """Leave out the middle of a text that is too long, and say how much."""
    if len(text) <= max_chars:
        return text
    head, tail = (max_chars + 1) // 2, max_chars // 2
    left_out = f"[{len(text) - max_chars} characters left out]"
    return f"{text[:head]}\n{left_out}\n{text[len(text) - tail :]}"


def echo(text: str, max_chars: int = 80) -> str:
    """Return ``text`` fit to be shown again: the middle cut out beyond ``max_chars``, encodable.

    Both ends are kept since a reply's reasoning starts it and its answer ends it.
    """
    if len(text) > max_chars:
        half = (max_chars - 5) // 2
        text = f"{text[:half]} ... {text[-half:]}" if half > 0 else text[:max_chars]
    return replace_surrogates(text)
