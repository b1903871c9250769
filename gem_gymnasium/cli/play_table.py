"""``gem-gym play`` for games of several players: a person against players of ours, or persons."""

from __future__ import annotations

import sys

import numpy as np
import pettingzoo  # pyright: ignore[reportMissingTypeStubs]

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.multiplayer import ids
from gem_gymnasium.multiplayer.aec_base import TEXT
from gem_gymnasium.multiplayer.players import PLAYERS, Player, names_for, player_for
from gem_gymnasium.multiplayer.players.base import Game, ask
from gem_gymnasium.multiplayer.replies import boxed

PERSON = "person"
OPPONENTS = (*PLAYERS, PERSON)
SLIPS = ("hint", "rules", "quit")
"""Words that are rather meant as commands, without their colon."""

Seats = dict[str, Player | None]
"""Who sits where; None is a person."""


def is_table(id: str) -> bool:
    """Return whether an id is one of a game of several players."""
    return id in ids()


def play_table(id: str, seed: int, opponent: str | None, seat: int) -> int:
    """Play one game with the persons at the terminal.

    Args:
        id: Such as ``gem/ConnectFour-v0``.
        seed: Of the game.
        opponent: Who takes the other seats; None for the best player of ours that the game has.
        seat: The person's.

    Raises:
        UnknownName: There is no such opponent.
        ConfigError: There is no such seat, or the game has no such player.
    """
    game: Game = pettingzoo.make("aec", id)  # pyright: ignore[reportUnknownMemberType,reportAssignmentType]
    if opponent is None:
        opponent = names_for(game.name)[-1]
    if opponent not in OPPONENTS:
        raise UnknownName("opponent", opponent, OPPONENTS)
    if not 0 <= seat < len(game.possible_agents):
        raise ConfigError(f"seat must be from 0 to {len(game.possible_agents) - 1}, got {seat}")
    seats: Seats = {
        agent: None if place == seat or opponent == PERSON else player_for(opponent, game)
        for place, agent in enumerate(game.possible_agents)
    }
    rng = np.random.default_rng(seed)
    game.reset(seed=seed)
    told = dict.fromkeys(seats, "")
    say(f"{id}, seed {seed}. Opponent: {opponent}. A move, or :quit.", "")
    while not any(game.terminations.values()):
        agent = game.agent_selection
        player, observation = seats[agent], game.observe(agent)[TEXT]
        if player is not None:
            game.step(ask(player, game, rng))
            continue
        if observation != told[agent]:
            say(f"[{agent}]", observation)
        told[agent] = observation
        reply = ask_person()
        if reply is None:
            say("\nYou stopped.")
            return 0
        game.step(reply)
    for agent, player in seats.items():
        if player is None:
            say(f"\n[{agent}]", game.observe(agent)[TEXT], result(game, agent))
    return 0


def read_line() -> str | None:
    """Return what a person types, "" for an empty line; None to stop."""
    sys.stdout.write("\n> ")
    sys.stdout.flush()
    line = sys.stdin.readline()
    text = line.strip()
    if not sys.stdin.isatty():  # a terminal has shown it already
        say(text)
    return None if not line or text == ":quit" else text


def ask_person() -> str | None:
    """Return a person's reply; None to stop. What has no box is put into one."""
    while True:
        text = read_line()
        if text is None:
            return None
        if text.lower() in SLIPS:  # a slip of the finger costs no try
            meant = "did you mean :quit?" if text.lower() == "quit" else f"there is no {text} here."
            say(f"{meant} For a reply of that name, type \\boxed{{{text}}}.")
        elif text.startswith(":"):
            say(f"there is no {text}: type :quit to stop")
        elif text:
            return text if "\\boxed" in text else boxed(text)


def result(game: Game, agent: str) -> str:
    """Return how the game ended for a person."""
    info = game.infos[agent]
    how = "You won" if info["success"] else "A draw" if info["progress"] == 0.5 else "You lost"
    return f"{how} after {info['turn']} moves, with a reward of {game.rewards[agent]:.3g}."


def say(*lines: str) -> None:
    """Write lines for the person."""
    sys.stdout.write("\n".join(lines) + "\n")
