import re
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.wiki_game_deals import VARIANTS
from gem_gymnasium.games.wiki_game_graphs import ArticleGraph, bundled_graph
from gem_gymnasium.solvers import solver_for
from gem_gymnasium.solvers.wiki_game import WikiGameSolver


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_is_won_in_as_many_turns_as_links(variant: str) -> None:
    env = gym.make("gem/WikiGame-v0", variant=variant, links_per_page=5)
    for seed in range(10):
        observation, info = env.reset(seed=seed)
        solver = solver_for(env)
        solver.reset(observation, {})
        while not info["success"]:
            observation, *_, info = env.step(solver.act(observation, {}))
        assert info["turn"] == info["optimal_turns"]


def test_it_says_that_it_is_an_oracle() -> None:
    assert getattr(solver_for("gem/WikiGame-hard-v0"), "oracle", False)


def test_it_finds_its_way_from_wherever_the_player_went() -> None:
    env: Any = gym.make("gem/WikiGame-v0", max_turns=60)
    observation, info = env.reset(seed=1)
    rng = np.random.default_rng(0)
    solver = WikiGameSolver()
    solver.reset(observation, {})
    for _ in range(20):
        observation, _, done, _, info = env.step(env.unwrapped.sample_legal_action(rng))
        assert not done
    while not info["success"]:
        observation, *_, info = env.step(solver.act(observation, {}))
    assert info["turn"] <= 20 + 12


def test_consistent_moves_are_all_links_that_lead_nearer() -> None:
    env: Any = gym.make("gem/WikiGame-hard-v0")
    graph, solver = bundled_graph(), WikiGameSolver()
    solver.reset(*env.reset(seed=4))
    state = env.unwrapped._state
    distance = graph.distance(state.title, state.target)
    nearer = {x for x in state.links if graph.distance(x, state.target) == distance - 1}
    rng = np.random.default_rng(0)
    assert {solver.consistent_move(rng) for _ in range(200)} == {f"\\boxed{{{x}}}" for x in nearer}


@pytest.mark.parametrize(
    ("seen", "reply"),
    [("It has no links.", "\\boxed{<back>}"), ("Links 1 to 1 of 1:\n- d", "\\boxed{d}")],
)
def test_it_leaves_an_article_without_links(
    seen: str, reply: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = ArticleGraph("abcd", [""] * 4, [[1, 2], [], [], [0]])
    monkeypatch.setattr("gem_gymnasium.solvers.wiki_game.bundled_graph", lambda: graph)
    solver = WikiGameSolver()
    solver.reset("Target: c\nArticle: a\nLinks 1 to 2 of 2:\n- b\n- c", {})
    assert solver.act(f"Target: c\nArticle: b\n{seen}\nTurns left: 3.", {}) == reply
    assert solver.consistent_move(np.random.default_rng(0)) == reply


def test_texts_of_no_known_graph_are_refused() -> None:
    observation, info = gym.make("gem/WikiGame-v0").reset(seed=0)
    other = re.sub(r"^- .*$", "- Somewhere else", observation, flags=re.MULTILINE)
    for text, message in (
        ("Chess: mate the king.", "no articles of WikiGame"),
        (other, "no graph has the articles"),
        ("Target: Qwertz\nArticle: Asdf\nIt has no links.", "no graph has the articles 'Asdf'"),
    ):
        with pytest.raises(ConfigError, match=message):
            WikiGameSolver().reset(text, info)
    with pytest.raises(ConfigError, match="never reset"):
        WikiGameSolver().act(observation, info)
