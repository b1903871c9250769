"""Letters of a choice: ``(A)``, ``A.``, ``A) 12``; naming more than one is no answer.

Pure, linear, never raises.
"""

from __future__ import annotations

import re

_LETTER = re.compile(r"\(?([A-J])\)?")
_CHOICE = re.compile(r"\(?([A-Ja-j])(?:[.:]|\))(?P<text> .*)?", re.S)
# A small letter counts only where it is written as an option.
_OPTION = re.compile(r"(?<![\w\\])([A-J])(?!\w)(?P<more> [a-z]+)?|(?<!\w)\(([a-j])\)|\b([a-j])\) ")
_CONSTANT = re.compile(r"(?<=[^ +]) ?\+ ?C$")
_ARTICLES = frozenset("AI")
_NO_NOUNS = frozenset(("is", "was", "or", "and", "not", "may", "might", "could", "too", "also"))
_DENIED = re.compile(
    r" *(?:is |was |are )?(?:not (?:right|correct|this|it)|wrong|incorrect|is false|is not)(?!\w)",
    re.IGNORECASE,
)


def letter_of(reference: str) -> str:
    """Return the letter of a choice that canonical text is, or ``""``."""
    letter = _LETTER.fullmatch(reference)
    return letter[1] if letter else ""


def is_choice(answer: str, letter: str) -> bool:
    """Return whether canonical text names a letter, alone or with its option's text.

    Not so if it names another letter as well, or denies the one it names.
    """
    choice = _CHOICE.fullmatch(answer)
    if choice is None or choice[1].upper() != letter:
        return False
    text = _CONSTANT.sub("", choice["text"] or "")  # an integral's
    return not _DENIED.match(text) and all(
        _is_no_option(match, letter) for match in _OPTION.finditer(text)
    )


def _is_no_option(match: re.Match[str], letter: str) -> bool:
    """Return whether a letter is the chosen one again, or an article or pronoun of a sentence."""
    found = match[1] or match[3] or match[4]
    if found.upper() == letter:
        return True
    more = (match["more"] or "").strip()
    return found in _ARTICLES and more != "" and more not in _NO_NOUNS
