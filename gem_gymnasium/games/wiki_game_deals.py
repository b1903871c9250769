"""WikiGame's settings, its state, its back ends, and how an episode begins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.wiki_game_graphs import (
    LARGEST_MIN_DISTANCE,
    ArticleGraph,
    Pages,
    bundled_graph,
    offline_folder,
    offline_graph,
)
from gem_gymnasium.games.wiki_game_titles import fold

_MAX_DEALS = 8
"""Pairs of titles that are tried on a live wiki, which may lack some."""

VARIANTS = ("noregrets", "oneback", "freenav", "eidetic")
GRAPHS = ("bundled", "offline")
SERVERS = ("mediawiki", "kiwix")

TITLES = (
    "Philosophy|Mathematics|Physics|Chemistry|Biology|Medicine|History|Geography|Art|Music|"
    "Literature|Religion|Language|Law|Politics|Economics|Technology|Computer|Internet|Engineering|"
    "Agriculture|Food|Water|Ocean|Mountain|River|Earth|Moon|Sun|Solar System|Galaxy|Atom|Energy|"
    "Light|Electricity|Evolution|DNA|Cell (biology)|Human|Dog|Bird|Tree|Bridge|Ship|Train|"
    "Aircraft|Football|Chess|Theatre|Film|Africa|Asia|Europe|France|Japan|Brazil|Ancient Rome|"
    "World War II|William Shakespeare|Albert Einstein"
)
"""Articles that any large encyclopedia has: starts and targets on a live wiki."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Reach the target within max_turns replies.

    Attributes:
        backend: ``"bundled"`` (2,982 concepts out of WordNet), ``"offline"`` (10,031 Wikipedia
            summaries of an installed package), ``"mediawiki"`` or ``"kiwix"`` (live servers).
        url: Of a server: ``https://en.wikipedia.org/w/api.php``, or kiwix-serve's
            ``http://HOST:PORT/content/BOOK``.
        variant: ``"noregrets"`` (no way back), ``"oneback"`` (back, but not twice in a row),
            ``"freenav"`` (back at will), ``"eidetic"`` (every link seen so far can be followed).
        min_distance: The least number of links from start to target, up to 8 in the bundled graph
            and 10 in the offline one; graphs only.
        max_distance: The greatest.
        titles: Starts and targets, parted by ``|``; servers only.
        links_per_page: Links that are listed at once.
        summary_chars: Characters of a summary that are shown.
        step_costs: Whether a reply costs what it does in GEM.
        timeout_s: Seconds a server has for one article, retries included.
        max_turns: Replies a player has.
    """

    backend: str = "bundled"
    url: str = ""
    variant: str = "noregrets"
    min_distance: int = 3
    max_distance: int = 4
    titles: str = TITLES
    links_per_page: int = 20
    summary_chars: int = 200
    step_costs: bool = False
    timeout_s: float = 10.0
    max_turns: int = 30

    def __post_init__(self) -> None:
        for name, value, known in (
            ("backend", self.backend, (*GRAPHS, *SERVERS)),
            ("variant", self.variant, VARIANTS),
        ):
            if value not in known:
                raise ConfigError(f"{name} must be one of {', '.join(known)}, got {value!r}")
        if self.backend in GRAPHS and self.url:
            raise ConfigError(f"backend={self.backend!r} has no url, got {self.url!r}")
        if self.backend in SERVERS and not self.url.startswith(("http://", "https://")):
            raise ConfigError(f"backend={self.backend!r} needs a url of http(s), got {self.url!r}")
        if self.backend == "kiwix" and not re.search("/(content|raw)/[^/]", self.url):
            raise ConfigError(
                f"kiwix: the url must name a book, .../content/BOOK, got {self.url!r}"
            )
        if self.backend == "offline":
            offline_folder()  # raises where it is not installed
        if not 1 <= self.min_distance <= self.max_distance <= self.max_turns:
            raise ConfigError(
                "need 1 <= min_distance <= max_distance <= max_turns, got "
                f"{self.min_distance}, {self.max_distance}, {self.max_turns}"
            )
        farthest = LARGEST_MIN_DISTANCE.get(self.backend, self.min_distance)
        if self.min_distance > farthest:
            raise ConfigError(
                f"min_distance must be at most {farthest} in the {self.backend} graph, "
                f"got {self.min_distance}"
            )
        if len({fold(title) for title in self.titles.split("|")} - {""}) < 2:
            raise ConfigError(f"titles must name two articles, parted by '|', got {self.titles!r}")
        for name, value, low, high in (
            ("links_per_page", self.links_per_page, 2, 100),
            ("summary_chars", self.summary_chars, 0, 2_000),
            ("timeout_s", self.timeout_s, 0.1, 600.0),
        ):
            if not low <= value <= high:
                raise ConfigError(f"{name} must be in {low}..{high}, got {value}")


class State(NamedTuple):
    """The two ends, the article at hand, the links that can be followed, and the way back."""

    start: str
    target: str
    target_summary: str
    title: str
    summary: str
    links: tuple[str, ...]
    listed: int = 0
    """Which page of the links is shown, from 0."""
    trail: tuple[str, ...] = ()
    """The articles to go back to, the last one nearest; none in variants without a way back."""
    went_back: bool = False
    """The last move went back."""
    shortest: int = -1
    """The least number of links from start to target; -1 on a live wiki."""


@cache
def pages_of(backend: str, url: str, timeout_s: float) -> Pages:
    """Return the articles of a back end, shared by the envs of the process."""
    if backend == "bundled":
        return bundled_graph()
    if backend == "offline":
        return offline_graph()
    from gem_gymnasium.games.wiki_game_live import Kiwix, MediaWiki

    return (MediaWiki if backend == "mediawiki" else Kiwix)(url, timeout_s)


def deal(config: Config, rng: np.random.Generator) -> State:
    """Draw start and target: at the asked distance in a graph, two of the titles on a live wiki."""
    pages = pages_of(config.backend, config.url, config.timeout_s)
    if isinstance(pages, ArticleGraph):
        return _begin(pages, *pages.draw(rng, config.min_distance, config.max_distance))
    titles = list({fold(title): title for title in config.titles.split("|") if title}.values())
    for deals in range(_MAX_DEALS, 0, -1):
        one, other = (titles[int(i)] for i in rng.permutation(len(titles))[:2])
        try:
            return _begin(pages, one, other)
        except ConfigError:  # this wiki lacks a title, say
            if deals == 1:
                raise
    raise AssertionError("the loop above returns or raises")


def deal_as_told(config: Config, rng: np.random.Generator, options: Mapping[str, Any]) -> State:
    """Begin with the options' start and target."""
    start, target = options.get("start"), options.get("target")
    if not isinstance(start, str) or not isinstance(target, str):
        raise ConfigError(f"reset options: start and target must be titles, got {dict(options)}")
    state = _begin(pages_of(config.backend, config.url, config.timeout_s), start, target)
    if state.shortest > config.max_turns:
        raise ConfigError(f"{target!r} is {state.shortest} links from {start!r}: over max_turns")
    return state


def _begin(pages: Pages, start: str, target: str) -> State:
    """Return the first state.

    Raises:
        ConfigError: The two titles make no game.
    """
    here, there = pages.page(start), pages.page(target)
    for title, page in ((start, here), (target, there)):
        if page is None:
            raise ConfigError(f"there is no article {title!r}")
    assert here is not None  # for the type checker
    assert there is not None
    if here.title == there.title:
        raise ConfigError(f"start and target are the same article, {here.title!r}")
    if not here.links:
        raise ConfigError(f"the start {here.title!r} has no links")
    shortest = -1
    if isinstance(pages, ArticleGraph):
        shortest = pages.distance(here.title, there.title)
        if shortest < 0:
            raise ConfigError(f"no links lead from {here.title!r} to {there.title!r}")
    return State(here.title, there.title, there.summary, *here, shortest=shortest)
