"""Liar's dice by the odds: how likely a bid is true, given one's own dice."""

from __future__ import annotations

import re
from math import comb
from typing import Any

import numpy as np

from gem_gymnasium.multiplayer.liars_dice import LIAR, Bid, Config, State, legal_moves, write

_SEEN = re.compile(r"Your dice: ([\d ]+)\. Bids: (.*)\.\n")


def chance_of(bid: Bid, own: tuple[int, ...], config: Config) -> float:
    """Return the chance that a bid is true if the dice of the others are fair."""
    count, face = bid
    hidden = (config.seats - 1) * config.dice
    needed = count - own.count(face)
    return sum(
        comb(hidden, there) * (config.faces - 1) ** (hidden - there)
        for there in range(max(needed, 0), hidden + 1)
    ) / (config.faces**hidden)  # fmt: skip


class LiarsDicePlayer:
    """Calls a bid that is less likely true than the best higher one; else bids that one.

    What others bid tells it nothing of their dice, and it never bluffs.

    Args:
        config: The settings, which the rules tell a player once.
    """

    def __init__(self, config: Config) -> None:
        self._config = config

    def __call__(self, observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
        """Return the reply that most likely survives; of equal ones the highest bid."""
        dice, said = _SEEN.findall(observation)[-1]
        own = tuple(map(int, dice.split()))
        bids = tuple((int(n), int(face)) for n, face in re.findall(r"(\d+) of (\d+)", said))
        moves = legal_moves(self._config, State((own,), bids))
        safe = {move: chance_of(move, own, self._config) for move in moves if move != LIAR}
        if bids:
            safe[LIAR] = 1.0 - chance_of(bids[-1], own, self._config)
        return write(max(safe, key=lambda move: (safe[move], move)))


def player(config: Config) -> LiarsDicePlayer:
    """Return the player for a game's settings."""
    return LiarsDicePlayer(config)
