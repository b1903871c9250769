"""Titles of articles: how they are compared, and which one a reply may have meant."""

from __future__ import annotations

import unicodedata
from difflib import get_close_matches

MAX_TITLE = 255
"""Characters of the longest title (MediaWiki's bound is 255 bytes)."""

_COMPARED, _COMPARED_CHARS = 200, 60
"""Links, and characters, that a title which is no link is compared with."""

_STYLED = "\u2013\u2014\u2212\u2018\u2019\u201c\u201d"  # dashes, a minus sign, quotes
_ALIKE = str.maketrans(f"_{_STYLED}", " ---''\"\"", "\\")
"""What is read as something plainer. A backslash counts for nothing: replies write AT\\&T."""


def fold(title: str) -> str:
    """Return the form in which titles are compared: no case, no styled dashes and quotes."""
    text = unicodedata.normalize("NFKC", title.translate(_ALIKE))
    return " ".join(text.casefold().split())


def find_link(links: tuple[str, ...], title: str) -> str | None:
    """Return the link that ``title`` names, as it is spelled or but for its case, or None."""
    if title in links:
        return title
    key = fold(title)
    return next((link for link in links if fold(link) == key), None)


def nearest_link(links: tuple[str, ...], title: str) -> str | None:
    """Return the link that holds ``title`` or is held by it, else one spelled alike, or None."""
    key = fold(title)
    if len(key) < 3:
        return None
    folded = {fold(link): link for link in links}
    held = [other for other in folded if key in other or (len(other) > 2 and other in key)]
    if held:
        return folded[min(held, key=lambda other: (abs(len(other) - len(key)), other))]
    near = get_close_matches(key[:_COMPARED_CHARS], [*folded][:_COMPARED], n=1)
    return folded[near[0]] if near else None
