"""What a player is: whoever sits in a seat and answers what it reads."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from gem_gymnasium.multiplayer.text_aec import TextAEC

Game = TextAEC[Any, Any, Any]


class Player(Protocol):
    """Answers an observation; what it remembers, if anything, is its own affair."""

    def __call__(self, observation: str, info: dict[str, Any], rng: np.random.Generator, /) -> str:
        """Return a reply.

        Args:
            observation: What its seat reads.
            info: Its seat's ``infos``.
            rng: Where chance comes from; an env passes its own, so that equal seeds give equal
                games.
        """
        ...


class RandomPlayer:
    """Draws a legal move.

    Args:
        game: The game it sits in, when it is asked.
    """

    def __init__(self, game: Game) -> None:
        self._game = game

    def __call__(self, observation: str, info: dict[str, Any], rng: np.random.Generator) -> str:
        """Return a legal reply of the seat that moves."""
        return self._game.sample_legal_action(rng)
