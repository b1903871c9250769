"""Titles of articles: how they are compared, and which one a reply may have meant."""

from __future__ import annotations

import unicodedata
from difflib import get_close_matches
from functools import lru_cache

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


@lru_cache(maxsize=8)  # a title that is no link asks for them twice, and the next one again
def _keys(links: tuple[str, ...]) -> tuple[str, ...]:
    """Return the folded form of each link."""
    return tuple(map(fold, links))


def find_link(links: tuple[str, ...], title: str) -> str | None:
    """Return the link that ``title`` names, as it is spelled or but for its case, or None."""
    if title in links:
        return title
    key, keys = fold(title), _keys(links)
    return links[keys.index(key)] if key in keys else None


def nearest_link(links: tuple[str, ...], title: str) -> str | None:
    """Return the link that holds ``title`` or is held by it, else one spelled alike, or None.

    Its time grows with the number of links and not with their length, of which a bounded part is
    compared.
    """
    key = fold(title)[:MAX_TITLE]
    if len(key) < 3:
        return None
    folded = {other[:MAX_TITLE]: link for other, link in zip(_keys(links), links, strict=True)}
    held = [other for other in folded if key in other or (len(other) > 2 and other in key)]
    if held:
        return folded[min(held, key=lambda other: (abs(len(other) - len(key)), other))]
    starts = {other[:_COMPARED_CHARS]: other for other in [*folded][:_COMPARED]}
    near = get_close_matches(key[:_COMPARED_CHARS], starts, n=1)
    return folded[starts[near[0]]] if near else None
