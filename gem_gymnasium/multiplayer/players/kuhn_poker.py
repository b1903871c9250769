"""Kuhn poker in equilibrium: a player that nobody can beat on average, and exploitability.

The first player's equilibria are a family; this is the one that bets a third of its jacks. Against
it the second player's best is to win 1/18 a game (Kuhn, 1950).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np

from gem_gymnasium.multiplayer.kuhn_poker import CARDS, CHOICES, State, payoff
from gem_gymnasium.multiplayer.replies import boxed

Policy = Mapping[tuple[int, tuple[str, ...]], float]
"""The chance of the bolder choice (bet, call) by the own card and the actions so far."""

EQUILIBRIUM: Policy = {
    (0, ()): 1 / 3, (1, ()): 0.0, (2, ()): 1.0,
    (0, ("check", "bet")): 0.0, (1, ("check", "bet")): 2 / 3, (2, ("check", "bet")): 1.0,
    (0, ("check",)): 1 / 3, (1, ("check",)): 0.0, (2, ("check",)): 1.0,
    (0, ("bet",)): 0.0, (1, ("bet",)): 1 / 3, (2, ("bet",)): 1.0,
}  # fmt: skip
"""A policy for both seats."""

BOLD = ("bet", "call")
DEALS = tuple(permutations(range(3), 2))
_CARD = re.compile(r"Your card: ([JQK])\. Actions: (.*)\.\n")


def play(observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
    """Return a reply of the equilibrium."""
    card, said = _CARD.findall(observation)[-1]
    actions = tuple(word.split()[1][:-1] for word in said.split(", ") if word.startswith("player"))
    bold = rng.random() < EQUILIBRIUM[CARDS.index(card), actions]
    first, second = CHOICES[actions[-1] if actions else ""]
    return boxed(next(word for word in (first, second) if (word in BOLD) == bold))


def expected(policies: tuple[Policy, Policy], state: State, seat: int) -> float:
    """Return what a seat wins on average from a state on, both playing their policies."""
    chips = payoff(state)
    if chips is not None:
        return chips[seat]
    mover = len(state.actions) % 2
    bold = policies[mover][state.cards[mover], state.actions]
    return sum(
        chance * expected(policies, state._replace(actions=(*state.actions, word)), seat)
        for word in CHOICES[state.actions[-1] if state.actions else ""]
        if (chance := bold if word in BOLD else 1.0 - bold) > 0
    )


def best_response(policy: Policy, seat: int) -> float:
    """Return what the best answer to a policy wins on average, playing ``seat``.

    It chooses in each of its information sets (own card, actions) what is best on average over the
    other's card, weighted by the chance that the other's policy leads there.
    """

    def worth(card: int, actions: tuple[str, ...], reach: dict[int, float]) -> float:
        """Return the reach-weighted value over the other's cards."""
        over = payoff(State((card, 1), actions)) is not None
        if over:
            total = 0.0
            for other, chance in reach.items():
                cards = (card, other) if seat == 0 else (other, card)
                chips = payoff(State(cards, actions))
                assert chips is not None
                total += chance * chips[seat]
            return total
        words = CHOICES[actions[-1] if actions else ""]
        if len(actions) % 2 == seat:
            return max(worth(card, (*actions, word), reach) for word in words)
        total = 0.0
        for word in words:
            after = {
                other: chance * (bold if word in BOLD else 1.0 - bold)
                for other, chance in reach.items()
                for bold in [policy[other, actions]]
            }
            total += worth(card, (*actions, word), after)
        return total

    return sum(
        worth(card, (), {other: 1 / 6 for other in range(3) if other != card}) for card in range(3)
    )


def exploitability(policy: Policy) -> float:
    """Return by how much a policy for both seats can be exploited, in chips a game (0: not at all).

    The mean over both seats of what the best answer wins (NashConv over 2).
    """
    return (best_response(policy, 0) + best_response(policy, 1)) / 2
