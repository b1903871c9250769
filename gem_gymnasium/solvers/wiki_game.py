"""WikiGame by the shortest way: an oracle, since it reads the article graph behind the game."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.wiki_game import BACK, write
from gem_gymnasium.games.wiki_game_graphs import (
    OFFLINE_PACKAGE,
    ArticleGraph,
    bundled_graph,
    offline_graph,
)

_ENDS = re.compile(r"^Target: (.+)$\n(?:  .*\n)?^Article: (.+)$", re.MULTILINE)
_LINK = re.compile(r"^- (.+)$", re.MULTILINE)


class WikiGameSolver:
    """Follow the first link, in the article's order, that is one nearer to the target.

    Which graph is played on shows in the articles of the text; a live wiki cannot be solved. Out of
    an article without links it takes a link that is shown all the same, or goes back.
    """

    oracle = True

    def __init__(self) -> None:
        self._graph: ArticleGraph | None = None
        self._target = self._here = 0
        self._shown: list[str] = []

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Find the graph, the start and the target.

        Raises:
            ConfigError: The text holds no articles, or those of no graph.
        """
        found = _ENDS.search(observation)
        if found is None:
            raise ConfigError(f"no articles of WikiGame in {observation[:200]!r}")
        shown = {*_LINK.findall(observation, found.end())}
        self._graph = _graph_of(found[2], found[1], shown)
        self.observe(observation, info)

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Read the newest article of the text, if it shows one."""
        graph = self._known()
        for found in _ENDS.finditer(observation):
            target, here = graph.number(found[1]), graph.number(found[2])
            if target is not None and here is not None:
                self._target, self._here = target, here
                self._shown = _LINK.findall(observation, found.end())

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the first link that leads nearer."""
        self.observe(observation, info)
        return write(self._nearer()[0])

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw one of the links that lead nearer."""
        nearer = self._nearer()
        return write(nearer[int(rng.integers(len(nearer)))])

    def _nearer(self) -> list[str]:
        """Return the links that are one nearer to the target; all, where none leads there."""
        graph = self._known()
        distances = graph.distances_to(self._target)
        links = graph.links(self._here)
        nearer = [other for other in links if distances[other] < distances[self._here]]
        return [graph.titles[other] for other in nearer or links] or self._shown or [BACK]

    def _known(self) -> ArticleGraph:
        if self._graph is None:
            raise ConfigError("the solver was never reset: call reset() before act()")
        return self._graph


def _graph_of(title: str, target: str, shown: set[str]) -> ArticleGraph:
    """Return the graph that has both articles, and these links at the first."""
    graphs = [bundled_graph, *([offline_graph] if find_spec(OFFLINE_PACKAGE) else [])]
    for load in graphs:
        page = load().page(title)
        if page and page.title == title and load().page(target) and shown <= {*page.links}:
            return load()
    raise ConfigError(f"no graph has the articles {title!r} and {target!r} with such links")
