"""``gem-gym list``: every id with its family, turns and calibration."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import pettingzoo  # pyright: ignore[reportMissingTypeStubs]

from gem_gymnasium import multiplayer, registry
from gem_gymnasium.core.errors import UnknownName
from gem_gymnasium.data import load_json
from gem_gymnasium.solvers import solver_for
from gem_gymnasium.tasks.mcp_sqlite import Config as McpConfig
from gem_gymnasium.terminal import Config, FolderConfig

HEADER = ("id", "family", "turns", "random", "solver", "solver wins", "oracle")
TURNS = {
    "mcp": McpConfig().max_turns,
    "terminal": Config().max_turns,
    "terminal-folder": FolderConfig(folder="any").max_turns,
}
"""The budget of families whose episodes have more than one turn."""

PETTINGZOO = "pettingzoo"
"""The family of the ids in PettingZoo's registry; the others are in gymnasium's."""

LEGEND = (
    "random, solver: mean return of a random legal player and of the solver; what NormalizeScore\n"
    "calls 0 and 1. turns: the budget (two numbers: it is drawn at each reset). oracle: the\n"
    "solver reads what a player cannot, so 1 may be out of reach. versus: solver is the best\n"
    "player of ours in that seat; where it is not perfect, a better one scores more than 1.\n"
    f'{PETTINGZOO}: a game of several players, made by pettingzoo.make("aec", id).'
)


def add_to(commands: Any) -> None:
    """Add the subcommand to ``gem-gym``'s parser."""
    parser = commands.add_parser("list", help="every id", description=__doc__)
    parser.add_argument("--family", help="only the ids of this family, such as: game")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the table.

    Raises:
        UnknownName: There is no such family.
    """
    families = sorted({PETTINGZOO, *(row.family for row in registry.ROWS)})
    if options.family is not None and options.family not in families:
        raise UnknownName("family", options.family, families)
    rows = [
        describe(id, row.family)
        for row in registry.ROWS
        if options.family in (None, row.family)
        for id in row.ids()
    ]
    if options.family in (None, PETTINGZOO):
        rows += [describe_game(id) for id in multiplayer.ids()]
    if options.json:
        sys.stdout.writelines(json.dumps(row) + "\n" for row in rows)
    else:
        lines = table([HEADER, *([cell(row[name]) for name in HEADER] for row in rows)])
        sys.stdout.write("\n".join(lines) + f"\n\n{LEGEND}\n")
    return 0


def describe(id: str, family: str) -> dict[str, Any]:
    """Return what the table says of an id, by column; None where nothing was measured."""
    if family != "game":  # a data set or a shell may not be on this machine
        columns = dict.fromkeys(HEADER)
        turns = TURNS.get(family, 1)
        if family == "versus":
            one: Any = gym.make(id).unwrapped
            turns = one.max_turns
        return {**columns, "id": id, "family": family, "turns": str(turns), **measured(id)}
    base: Any = gym.make(id).unwrapped
    budgets = [config.max_turns for config in (base.random_configs if base.random else ())]
    budgets = budgets or [base.config.max_turns]
    low, high = min(budgets), max(budgets)
    return {
        **dict.fromkeys(HEADER),
        "id": id,
        "family": family,
        "turns": str(low) if low == high else f"{low}-{high}",
        **measured(id, oracle=getattr(solver_for(base), "oracle", False)),
    }


def describe_game(id: str) -> dict[str, Any]:
    """Return what the table says of a game of several players."""
    game: Any = pettingzoo.make("aec", id)
    turns = str(game.config.max_turns)
    return {**dict.fromkeys(HEADER), "id": id, "family": PETTINGZOO, "turns": turns}


def measured(id: str, *, oracle: bool = False) -> dict[str, Any]:
    """Return the columns of an id's calibration; nothing where it has none."""
    game: Mapping[str, Any] | None = load_json("calibration.json")["games"].get(id)
    if game is None:
        return {}
    return {
        "random": game["random"]["return"],
        "solver": game["solver"]["return"],
        "solver wins": game["solver"]["success"],
        "oracle": oracle,
    }


def cell(value: Any) -> str:
    """Return a value as the table shows it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def table(rows: Sequence[Sequence[str]], left: int = 2) -> list[str]:
    """Return rows of cells as lines: so many columns to the left, those of numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if place < left else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
