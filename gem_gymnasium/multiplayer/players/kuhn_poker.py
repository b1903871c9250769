"""Kuhn poker in equilibrium: a player that nobody can beat on average, and exploitability.

The first player's equilibria are a family; this is the one that bets a third of its jacks. Against
it the second player's best is to win 1/18 a game (Kuhn, 1950).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from itertools import permutations
from typing import Any

import numpy as np

from gem_gymnasium.multiplayer.kuhn_poker import CARDS, KuhnPokerEnv, State, payoff
from gem_gymnasium.multiplayer.players import cfr
from gem_gymnasium.multiplayer.players.cfr import Policy
from gem_gymnasium.multiplayer.replies import boxed

EQUILIBRIUM: Policy = {
    "J:": {"bet": 1 / 3, "check": 2 / 3},
    "Q:": {"check": 1.0},
    "K:": {"bet": 1.0},
    "J: check bet": {"fold": 1.0},
    "Q: check bet": {"call": 2 / 3, "fold": 1 / 3},
    "K: check bet": {"call": 1.0},
    "J: check": {"bet": 1 / 3, "check": 2 / 3},
    "Q: check": {"check": 1.0},
    "K: check": {"bet": 1.0},
    "J: bet": {"fold": 1.0},
    "Q: bet": {"call": 1 / 3, "fold": 2 / 3},
    "K: bet": {"call": 1.0},
}
"""A policy for both seats. The key of an information set: the own card, the actions so far."""

_SEEN = re.compile(r"Your card: ([JQK])\. Actions: (.*)\.\n")


def play(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
    """Return a reply of the equilibrium."""
    return boxed(cfr.draw(EQUILIBRIUM, read(observation), rng))


def read(observation: str) -> str:
    """Return the information set that an observation tells of."""
    card, said = _SEEN.findall(observation)[-1]
    return _key(card, re.findall(r"player_\d (\w+)s", said))


def key_of(state: State) -> str:
    """Return the information set of the seat that moves."""
    seat = len(state.actions) % 2
    return _key(CARDS[state.cards[seat]], state.actions)


def _key(card: str, actions: Iterable[str]) -> str:
    return " ".join([f"{card}:", *actions])


@functools.cache
def tree() -> cfr.Tree:
    """Return the game as :mod:`cfr` takes it."""
    deals = {State(cards): 1 / 6 for cards in permutations(range(3), 2)}
    return cfr.tree(KuhnPokerEnv, deals, payoff, key_of)


def best_response(policy: Policy, seat: int) -> float:
    """Return what the best answer to a policy wins on average, playing ``seat``."""
    return cfr.best_response(tree(), policy, seat)


def exploitability(policy: Policy) -> float:
    """Return by how much a policy for both seats can be exploited: :func:`cfr.exploitability`."""
    return cfr.exploitability(tree(), policy)
