"""Players: who can sit in a seat beside a model."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.multiplayer.aec_base import check_game
from gem_gymnasium.multiplayer.players.base import Game, Player, RandomPlayer, ask, check_player
from gem_gymnasium.multiplayer.players.cfr import Average
from gem_gymnasium.multiplayer.players.poker import (
    POKER,
    information_sets,
    solver_of,
)
from gem_gymnasium.multiplayer.text_aec import TextAEC

__all__ = [
    "HEURISTIC",
    "PLAYERS",
    "POKER",
    "SOLVED",
    "Average",
    "Player",
    "RandomPlayer",
    "ask",
    "check_player",
    "information_sets",
    "names_for",
    "player_for",
    "solver_of",
]

PLAYERS = ("random", "solver", "heuristic")
SOLVED = ("tic_tac_toe", "connect_four", "nim", "kuhn_poker", "leduc_poker")
"""The games that have a solver."""

HEURISTIC = ("liars_dice", "battleship", "prisoners_dilemma", "lowest_unique", "negotiation")
"""The games without a solver that a plain rule plays well."""

TOLD_THE_RULES = ("nim", "liars_dice")
"""Those whose player must know the settings: their file has ``player(config)``, not ``play``."""

STANDARD_ONLY = ("connect_four",)
"""Those whose solver knows the standard settings only."""


def names_for(game: str) -> tuple[str, ...]:
    """Return the players that a game has, the weakest first."""
    better = {"solver": SOLVED, "heuristic": HEURISTIC}
    return ("random", *(name for name, games in better.items() if game in games))


def player_for(name: str, game: Game) -> Player:
    """Return a player by its name.

    Args:
        name: ``random``; ``solver`` (perfect, or as good as can be had) or ``heuristic`` (a plain
            rule) where the game has one.
        game: What it will play in.

    Raises:
        UnknownName: There is no such player.
        ConfigError: The game has no such player, or none for its settings, or is none of ours.
    """
    if name not in PLAYERS:
        raise UnknownName("player", name, PLAYERS)
    check_game(game, TextAEC)
    if name == "random":
        return RandomPlayer(game)
    games = SOLVED if name == "solver" else HEURISTIC
    if game.name not in games:
        raise ConfigError(f"{game.name} has no {name}; those that have one: {', '.join(games)}")
    if game.name in STANDARD_ONLY and game.config != game.config_type():
        raise ConfigError(f"the {name} of {game.name} knows the standard settings only")
    module: Any = import_module(f"{__name__}.{game.name}")
    return module.player(game.config) if game.name in TOLD_THE_RULES else module.play
