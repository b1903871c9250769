"""Equilibria and exact exploitability of small card games, by counterfactual regret minimization.

For games of two with zero sum, all of whose chance is in the deal and whose actions everybody sees.
One tree of actions then serves all deals at once: what differs between them is an array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.game import StateT
from gem_gymnasium.multiplayer.game import MultiGame

Policy = Mapping[str, Mapping[str, float]]
"""The chance of each word that may be said, by the information set, for both seats.

A word that is left out has the chance 0; those of an information set add up to 1. The keys are
those of the game (``key_of`` in its file); :mod:`.poker` lists them.
"""

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """What may be done after some actions, or what it led to, in all deals at once."""

    seat: int = -1
    """Who moves; -1: nobody."""
    words: tuple[str, ...] = ()
    after: tuple[Node, ...] = ()
    """What follows each word."""
    keys: tuple[str, ...] = ()
    """The information sets of the seat."""
    held: npt.NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    """Which of ``keys`` it has, by the deal: (deals,)."""
    won: Array = field(default_factory=lambda: np.zeros(0))
    """What the first seat has won, by the deal, where nobody moves: (deals,)."""

    def walk(self) -> Iterator[Node]:
        """Yield every node in which somebody moves, this one first."""
        if self.words:
            yield self
        for node in self.after:
            yield from node.walk()

    def by_key(self, values: Array) -> Array:
        """Add up what the deals of each information set have: (deals,) to (keys,)."""
        return np.bincount(self.held, values, len(self.keys)).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A game's actions, and the chance of each deal."""

    root: Node
    chances: Array
    """(deals,)"""

    def choices(self) -> dict[str, tuple[int, tuple[str, ...]]]:
        """Return the seat that moves and its words in each information set."""
        return {key: (node.seat, node.words) for node in self.root.walk() for key in node.keys}


def tree(
    game: type[MultiGame[Any, StateT, str]],
    deals: Mapping[StateT, float],
    payoff: Callable[[StateT], tuple[float, float] | None],
    key: Callable[[StateT], str],
) -> Tree:
    """Return the tree of a game with its standard settings.

    Args:
        game: Its rules.
        deals: The first states with their chances.
        payoff: What each seat wins, None while the game goes on.
        key: The information set of the seat that moves: all that it knows.
    """
    config = game.config_type()

    def node(states: list[StateT]) -> Node:
        won = [payoff(state) for state in states]
        if won[0] is not None:
            return Node(won=np.array([chips[0] for chips in won if chips is not None]))
        words = tuple(game.legal_moves(config, states[0]))
        keys = [key(state) for state in states]
        places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        return Node(
            seat=game.to_move(config, states[0]),
            words=words,
            after=tuple(
                node([game.play(config, state, word)[0] for state in states]) for word in words
            ),
            keys=tuple(places),
            held=np.array([places[key] for key in keys]),
        )

    return Tree(node(list(deals)), np.array(list(deals.values())))


def draw(policy: Policy, key: str, rng: np.random.Generator) -> str:
    """Return a word that a policy says in an information set."""
    words, chances = list(policy[key]), list(policy[key].values())
    return words[int(rng.choice(len(words), p=np.array(chances) / sum(chances)))]


def chances_of(policy: Policy, node: Node) -> Array:
    """Return the chance of each word in each deal: (words, deals).

    Raises:
        ConfigError: The policy lacks an information set, or its chances there do not add up to 1.
    """
    rows: list[list[float]] = []
    for key in node.keys:
        given = policy.get(key)
        if given is None:
            raise ConfigError(f"the policy lacks the information set {key!r}")
        rows.append([given.get(word, 0.0) for word in node.words])
        # Asked in this way round, nan is refused too.
        if not (abs(sum(rows[-1]) - 1.0) <= 1e-6 and min(rows[-1]) >= 0.0):
            raise ConfigError(
                f"the chances of {', '.join(node.words)} must add up to 1 in the information set "
                f"{key!r}, got {dict(given)}"
            )
    return np.array(rows).T[:, node.held]


def value(tree: Tree, first: Policy, second: Policy) -> float:
    """Return what the first seat wins on average, each seat playing its policy."""

    def worth(node: Node, reach: Array) -> float:
        if not node.words:
            return float(reach @ node.won)
        chances = chances_of((first, second)[node.seat], node)
        return sum(worth(after, reach * chance) for after, chance in _pairs(node, chances))

    return worth(tree.root, tree.chances)


def best_response(tree: Tree, policy: Policy, seat: int) -> float:
    """Return what the best answer to a policy wins on average, playing ``seat``; exact.

    It chooses in each of its information sets what is best on average over the deals, weighted by
    the chance that the other's policy leads there.
    """

    def worth(node: Node, reach: Array) -> Array:
        """Return what each deal is worth, times the chance of being in it."""
        if not node.words:
            return reach * (node.won if seat == 0 else -node.won)
        if node.seat != seat:
            pairs = _pairs(node, chances_of(policy, node))
            return np.sum([worth(after, reach * chance) for after, chance in pairs], axis=0)
        worths = np.array([worth(after, reach) for after in node.after])
        best = np.argmax([node.by_key(each) for each in worths], axis=0)[node.held]
        return np.take_along_axis(worths, best[None], axis=0)[0]

    return float(worth(tree.root, tree.chances).sum())


def exploitability(tree: Tree, policy: Policy) -> float:
    """Return by how much a policy for both seats can be exploited, in chips a game (0: not at all).

    The mean over both seats of what the best answer wins (NashConv over 2).
    """
    return (best_response(tree, policy, 0) + best_response(tree, policy, 1)) / 2


def own_reach(tree: Tree, policy: Policy) -> dict[str, float]:
    """Return, for each information set, the chance that the seat's own choices lead there."""
    reach: dict[str, float] = {}

    def go(node: Node, own: tuple[Array, Array]) -> None:
        if not node.words:
            return
        here = own[node.seat]
        # A seat remembers what it did, so the chance is one in all deals of an information set.
        places: list[int] = node.held.tolist()
        reach.update({node.keys[place]: float(here[deal]) for deal, place in enumerate(places)})
        for after, chance in _pairs(node, chances_of(policy, node)):
            go(after, (here * chance, own[1]) if node.seat == 0 else (own[0], here * chance))

    everywhere = np.ones(len(tree.chances))
    go(tree.root, (everywhere, everywhere))
    return reach


class Average:
    """The average of policies, as a player plays who draws one of them for each game.

    A policy's chances count in an information set by the chance that its own choices lead there;
    where no policy's do, all words are equally likely.

    Args:
        tree: The game.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.totals = {key: dict.fromkeys(words, 0.0) for key, (_, words) in tree.choices().items()}
        """The weight of each word by the information set; all there is to save."""

    def add(self, policy: Policy) -> None:
        """Take another policy into the average, of as much weight as each before."""
        for key, reach in own_reach(self._tree, policy).items():
            for word in self.totals[key]:
                self.totals[key][word] += reach * policy[key].get(word, 0.0)

    def policy(self) -> dict[str, dict[str, float]]:
        """Return the average of the policies so far."""
        return {
            key: {
                word: weight / whole if (whole := sum(weights.values())) > 0.0 else 1 / len(weights)
                for word, weight in weights.items()
            }
            for key, weights in self.totals.items()
        }


def solve(tree: Tree, iterations: int) -> dict[str, dict[str, float]]:
    """Return a policy near an equilibrium, the nearer the more iterations; the same each time.

    Counterfactual regret minimization (Zinkevich et al., "Regret Minimization in Games with
    Incomplete Information", 2007) as CFR+ (Tammelin, "Solving Large Imperfect Information Games
    Using CFR+", 2014): regrets never fall below 0, the seats are updated in turn, and the policy of
    iteration t has the weight t in the average, which is what is returned.
    """
    nodes = list(tree.root.walk())
    regrets = {node: np.zeros((len(node.words), len(node.keys))) for node in nodes}
    totals = {node: np.zeros((len(node.words), len(node.keys))) for node in nodes}

    def worth(node: Node, seat: int, own: Array, other: Array, weight: int) -> Array:
        """Update a seat's regrets from a node on; return what each deal is worth to it.

        ``own`` is the chance that its own policy leads here, ``other`` that the deal and the
        other's policy do.
        """
        if not node.words:
            return other * (node.won if seat == 0 else -node.won)
        regret = regrets[node]
        chances = _normalized(regret)
        by_deal = chances[:, node.held]
        if node.seat != seat:
            return np.sum(
                [
                    worth(after, seat, own, other * chance, weight)
                    for after, chance in _pairs(node, by_deal)
                ],
                axis=0,
            )
        worths = np.array(
            [
                worth(after, seat, own * chance, other, weight)
                for after, chance in _pairs(node, by_deal)
            ]
        )
        whole = (by_deal * worths).sum(axis=0)
        gains = np.array([node.by_key(each - whole) for each in worths])
        np.maximum(regret + gains, 0.0, out=regret)
        # A seat remembers what it did: in all deals of an information set its chance is the same.
        reach = np.zeros(len(node.keys))
        reach[node.held] = own
        totals[node] += weight * reach * chances
        return whole

    everywhere = np.ones(len(tree.chances))
    for iteration in range(1, iterations + 1):
        for seat in (0, 1):
            worth(tree.root, seat, everywhere, tree.chances, iteration)
    return {
        key: dict(zip(node.words, map(float, chances), strict=True))
        for node in nodes
        for key, chances in zip(node.keys, _normalized(totals[node]).T, strict=True)
    }


def _pairs(node: Node, chances: Array) -> Iterator[tuple[Node, Array]]:
    """Return what follows each word, with the chance of the word in each deal."""
    return zip(node.after, chances, strict=True)


def _normalized(weights: Array) -> Array:
    """Return the chances of words by their weights, equal where none has any: (words, keys)."""
    total = weights.sum(axis=0)
    return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), 1 / len(weights))
