"""Players: who can sit in a seat beside a model."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.multiplayer.players.base import Game, Player, RandomPlayer

__all__ = ["PLAYERS", "SOLVED", "Player", "RandomPlayer", "player_for"]

PLAYERS = ("random", "solver")
SOLVED = ("tic_tac_toe", "connect_four", "nim", "kuhn_poker", "leduc_poker")
"""The games that have a solver."""

STANDARD_ONLY = ("connect_four",)
"""Those whose solver knows the standard settings only."""


def player_for(name: str, game: Game) -> Player:
    """Return a player by its name.

    Args:
        name: ``random``, or ``solver`` where the game has one.
        game: What it will play in.

    Raises:
        UnknownName: There is no such player.
        ConfigError: The game has no solver, or none for its settings.
    """
    if name not in PLAYERS:
        raise UnknownName("player", name, PLAYERS)
    if name == "random":
        return RandomPlayer(game)
    if game.name not in SOLVED:
        raise ConfigError(f"{game.name} has no solver; those that have one: {', '.join(SOLVED)}")
    if game.name in STANDARD_ONLY and game.config != game.config_type():
        raise ConfigError(f"the solver of {game.name} knows the standard settings only")
    module: Any = import_module(f"{__name__}.{game.name}")
    if game.name == "nim":
        return module.NimPlayer(game.config.misere)
    return module.play
