"""What WikiGame reads in an article's HTML: its first paragraph and where its text links to.

A scan for tags in linear time: the standard library's HTMLParser takes quadratic time on pages that
mean harm (200 kB of ``<a`` are minutes).
"""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple

_SKIPPED = {"table", "nav", "footer", "style", "script", "sup", "figure"}
"""Elements whose links and text are not the article's."""

_MAX_DEPTH = 100

MAX_TAGS, MAX_HREFS = 100_000, 10_000
"""Tags and links that are read, several times what the longest articles have: a page that means
harm fits a million into the bytes that are fetched, which would take long past the deadline."""

_TAG = re.compile(r"<(?:(!--)|(/?)([a-zA-Z][a-zA-Z0-9]*+)([^<>]*+)>)")
_HREF = re.compile(r"""(?:^|\s)href\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""", re.I)


class Article(NamedTuple):
    """The first paragraph, as text, and the addresses of the links, in order."""

    summary: str
    hrefs: tuple[str, ...]


class _Reader:
    """What was read so far."""

    def __init__(self) -> None:
        self.hrefs: dict[str, None] = {}
        self.summary = ""
        self._paragraph: list[str] | None = None
        self._skipped: list[str] = []

    def text(self, text: str) -> None:
        """Read the text between two tags."""
        if self._paragraph is not None and not self._skipped:
            self._paragraph.append(text)

    def tag(self, name: str, attributes: str) -> None:
        """Read an opening tag."""
        if name in _SKIPPED and len(self._skipped) < _MAX_DEPTH and not attributes.endswith("/"):
            self._skipped.append(name)
        if self._skipped:
            return
        if name == "p":
            self.end("p")
            self._paragraph = None if self.summary else []
        elif name == "a" and len(self.hrefs) < MAX_HREFS and (found := _HREF.search(attributes)):
            self.hrefs[unescape(found[1] or found[2] or found[3] or "")] = None

    def end(self, name: str) -> None:
        """Read a closing tag."""
        if name in self._skipped:
            while self._skipped.pop() != name:
                pass
        elif name == "p" and not self._skipped and self._paragraph is not None:
            self.summary = " ".join(unescape("".join(self._paragraph)).split())
            self._paragraph = None


def read_article(text: str) -> Article:
    """Return the first paragraph that holds text, and the links outside tables, notes and menus."""
    reader, at = _Reader(), 0
    for _ in range(MAX_TAGS):
        found = _TAG.search(text, at)
        if found is None:
            break
        reader.text(text[at : found.start()])
        at = found.end()
        if found[1]:  # a comment
            closed = text.find("-->", at)
            at = len(text) if closed < 0 else closed + 3
        elif found[2]:
            reader.end(found[3].lower())
        else:
            reader.tag(found[3].lower(), found[4])
    reader.end("p")
    return Article(reader.summary, tuple(href for href in reader.hrefs if href))
