"""What a player is: whoever sits in a seat and answers what it reads."""

from __future__ import annotations

import functools
from inspect import signature
from typing import Any, Protocol, cast

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.multiplayer.aec_base import TEXT
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


def name_of(player: Any) -> str:
    """Return what a player is called in a snapshot: a name that another process gives it too."""
    if isinstance(player, str):
        return player
    while isinstance(player, functools.partial):
        player = cast("Any", player).func
    named: Any = player if hasattr(player, "__qualname__") else cast("Any", type(player))
    return f"{named.__module__}.{named.__qualname__}"


def check_player(player: Any) -> Player:
    """Return a player that can be asked.

    Raises:
        ConfigError: It is no function, or takes other arguments.
    """
    said = f"a player must be a function (observation, info, rng) -> reply, got {player!r}"
    if not callable(player):
        raise ConfigError(said)
    try:
        signature(player).bind("", {}, np.random.default_rng(0))
    except TypeError as error:
        raise ConfigError(f"{said}: {error}") from error
    except ValueError:  # it is written in C, and nobody knows
        pass
    return cast("Player", player)


def ask(player: Player, game: Game, rng: np.random.Generator) -> str:
    """Return a player's reply in the seat that is to move.

    Raises:
        ConfigError: The reply is no text.
    """
    agent = game.agent_selection
    reply: Any = player(game.observe(agent)[TEXT], dict(game.infos[agent]), rng)
    if not isinstance(reply, str):
        raise ConfigError(f"a player's reply must be a str, got {reply!r} from {player!r}")
    return reply


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
