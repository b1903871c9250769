"""``gem-gym rate``: let players play a game of several among themselves, and rate them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

import pettingzoo  # pyright: ignore[reportMissingTypeStubs]

from gem_gymnasium import registry
from gem_gymnasium.cli.listing import table
from gem_gymnasium.cli.progress import clear, progress
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.multiplayer import ids
from gem_gymnasium.multiplayer.players import names_for, player_for
from gem_gymnasium.multiplayer.players.base import Game
from gem_gymnasium.multiplayer.ratings import Rating, rate, round_robin

EPILOG = """\
Every line-up of the players (each pair, in a game of two) plays --games games: each deal once from
every seat, so that luck and the first move are the same for all.

rating: Elo's scale by maximum likelihood; 400 points are odds of ten to one, the pool's mean is 0.
A draw is half a win; in a game of more than two, each pair of seats is compared. Every player also
has one drawn game against the middle, so that who never loses gets a large rating, not an infinite
one. 95 %: how far the rating may be off.
reward: the mean of a game. It says more than the rating where what counts is how much is won
(poker) or what both get (negotiation, the prisoner's dilemma).

  gem-gym rate gem/ConnectFour-v0 --games 20
  gem-gym rate gem/LowestUnique-v0 --players random,heuristic --seed 7 --json

Players of your own: gem_gymnasium.multiplayer.ratings, see docs/multiplayer.md.
"""
CONTRARY = "Who wins more games\nneed not win more: in poker, for one, the reward is what to go by."
HEADER = ("player", "rating", "95 %", "games", "reward")


def add_to(commands: Any) -> None:
    """Add the subcommand to ``gem-gym``'s parser."""
    parser = commands.add_parser(
        "rate",
        help="rate the players of a game of several",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("id", help="such as gem/ConnectFour-v0; docs/multiplayer.md lists them")
    parser.add_argument(
        "--players",
        help="names parted by commas: random, solver, heuristic (default: all that the game has)",
    )
    parser.add_argument(
        "--games", type=int, default=100, help="of each line-up of players (default: 100)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of all deals (default: 0)")
    parser.add_argument("--json", action="store_true", help="one JSON object a player")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play, and write the table.

    Raises:
        UnknownName: There is no such game or player.
        ConfigError: The game has no such player, there is one player only, or a number is wrong.
    """
    if options.id not in ids():
        alone = "it is an env of one player: there is nobody to rate"
        hint = alone if options.id in registry.ids() and "-vs-" not in options.id else ""
        raise UnknownName("game of several players", options.id, ids(), hint)
    game: Game = pettingzoo.make("aec", options.id)  # pyright: ignore[reportUnknownMemberType,reportAssignmentType]
    names = options.players.split(",") if options.players else names_for(game.name)
    pool = {name: player_for(name, game) for name in map(str.strip, names)}
    if len(pool) < 2:
        raise ConfigError(
            f"need at least two players, got {', '.join(pool)}; {options.id} has "
            f"{', '.join(names_for(game.name))}, and of your own see docs/multiplayer.md"
        )
    results = round_robin(
        game,
        pool,
        games=options.games,
        seed=options.seed,
        told=lambda done, of: progress(options.id, done, of, "games"),
    )
    clear()
    ratings = rate(results)
    if options.json:
        sys.stdout.writelines(f"{as_json(options.id, each)}\n" for each in ratings)
    else:
        sys.stdout.write(f"{as_table(ratings)}\n")
    return 0


def as_json(id: str, rated: Rating) -> str:
    """Return a player's rating as one JSON object."""
    record = {name: score._asdict() for name, score in rated.record.items()}
    numbers = {"interval": rated.interval, "record": record}
    return json.dumps({"id": id, **rated._asdict(), **numbers})


def as_table(ratings: Sequence[Rating]) -> str:
    """Return the ratings, and who won how much against whom."""
    rows = [
        (
            each.name,
            f"{each.rating:+.0f}",
            "{:+.0f} to {:+.0f}".format(*each.interval),
            str(each.games),
            f"{each.reward:+.3f}",
        )
        for each in ratings
    ]
    names = [each.name for each in ratings]
    met = [
        (
            each.name,
            *(
                "{}-{}-{}".format(*each.record[name]) if name in each.record else "-"
                for name in names
            ),
        )
        for each in ratings
    ]
    heads = ("won-drawn-lost", *names)
    lines = [*table([HEADER, *rows], left=1), "", *table([heads, *met], left=1)]
    paid = [each.name for each in sorted(ratings, key=lambda each: -each.reward)]
    if paid != names:
        lines += ["", f"By reward the order is another: {', '.join(paid)}. {CONTRARY}"]
    return "\n".join(lines)
