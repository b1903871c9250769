"""Leduc poker in equilibrium, nearly: a player that nobody beats on average, and exploitability.

The policy is the one that ``benchmarks/solve_poker.py`` has found; with both at their best the
first player loses 0.0856 chips a game.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from itertools import permutations
from typing import Any

import numpy as np

from gem_gymnasium.data import load_json
from gem_gymnasium.multiplayer.leduc_poker import (
    RANKS,
    Config,
    LeducPokerEnv,
    State,
    is_over,
    payoff,
    to_move,
)
from gem_gymnasium.multiplayer.players import cfr
from gem_gymnasium.multiplayer.players.cfr import Policy
from gem_gymnasium.multiplayer.replies import boxed

EQUILIBRIUM: Policy = load_json("leduc_poker.json")
"""A policy for both seats. The key of an information set: the own card, the actions of the first
round, and once it is over the table's card and the actions of the second.
"""

_SEEN = re.compile(
    r"Your card: ([JQK])\. The table's card: (not shown yet|[JQK])\.\n"
    r"(?:First round: (.*)\.\n)?(?:Second round: (.*)\.\n)?In the pot: "
)


def play(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
    """Return a reply of the equilibrium."""
    return boxed(cfr.draw(EQUILIBRIUM, read(observation), rng))


def read(observation: str) -> str:
    """Return the information set that an observation tells of."""
    own, table, *rounds = _SEEN.findall(observation)[-1]
    first, second = (re.findall(r"player_\d (\w+)s", said) for said in rounds)
    return _key(own, first, table if table in RANKS else "", second)


def key_of(state: State) -> str:
    """Return the information set of the seat that moves."""
    own, table = (RANKS[state.cards[place] // 2] for place in (to_move(Config(), state), 2))
    return _key(own, state.first, table if is_over(state.first) else "", state.second)


def _key(own: str, first: Iterable[str], table: str, second: Iterable[str]) -> str:
    words = [f"{own}:", *first]
    return " ".join([*words, "/", f"{table}:", *second] if table else words)


@functools.cache
def tree() -> cfr.Tree:
    """Return the game as :mod:`cfr` takes it; two cards of a rank are the same to it."""
    deals: dict[tuple[int, ...], tuple[State, int]] = {}
    for cards in permutations(range(6), 3):
        ranks = tuple(card // 2 for card in cards)
        state, count = deals.get(ranks, (State(cards), 0))
        deals[ranks] = state, count + 1
    return cfr.tree(
        LeducPokerEnv,
        {state: count / 120 for state, count in deals.values()},
        payoff,
        key_of,
    )


def best_response(policy: Policy, seat: int) -> float:
    """Return what the best answer to a policy wins on average, playing ``seat``."""
    return cfr.best_response(tree(), policy, seat)


def exploitability(policy: Policy) -> float:
    """Return by how much a policy for both seats can be exploited: :func:`cfr.exploitability`."""
    return cfr.exploitability(tree(), policy)
