"""Write the generated pages: games.md (rules, an episode, scores) and gem_ids.md (GEM's ids).

    python docs/make.py

Everything comes from the registry, the golden transcripts and the calibration, so that a page never
says what is no longer so; a test fails when a page is out of date.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import gymnasium as gym

from gem_gymnasium import registry
from gem_gymnasium.cli.listing import cell, describe
from gem_gymnasium.data import load_json
from gem_gymnasium.registry import TERMINAL, Row
from gem_gymnasium.solvers import solver_for
from gem_gymnasium.tasks.data_sets import DATA_SETS
from gem_gymnasium.tasks.reasoning_gym_names import NAMES, SLOW

DOCS = Path(__file__).resolve().parent
GOLDEN = DOCS.parent / "tests" / "golden"
GENERATED = "<!-- Written by `python docs/make.py`; edit that, not this. -->"

GEM_VARIANTS: Mapping[str, Sequence[str]] = {
    "GuessTheNumber": ("easy", "hard", "random"),
    "Mastermind": ("easy", "hard", "random"),
    "Minesweeper": ("easy", "hard", "random"),
    "Wordle": ("easy", "hard", "random"),
    "FifteenPuzzle": ("easy", "hard", "random"),
    "Hangman": ("easy", "hard", "random"),
    "Sudoku": ("easy", "hard", "random"),
    "TowerofHanoi": ("easy", "hard", "random"),
    "Game2048": ("easy", "hard", "extreme-hard", "random"),
    "Sokoban": ("easy", "hard", "random"),
    "Crosswords": ("easy", "hard", "random"),
    "WordSearch": ("easy", "hard", "random"),
    "WikiGame": ("easy", "hard"),
}
"""The games that gem-llm 0.1.0 registers, as ``game:<name>-v0-<variant>``."""

INTRO = """\
What each game tells its player, one episode of the solver, and what players score.

*random* is the mean return of a random legal player and *solver* that of the solver: what
`NormalizeScore` calls 0 and 1. *solver wins* is its share of won episodes. *blind* is the best mean
return of three players that never read an observation: one that repeats a reply, one that plays the
first legal move of a fixed order, one that goes round four replies. Means over the seeds that
`gem_gymnasium/data/calibration.json` names, which also has the 95 % intervals. In an episode `<` is
what the player reads, `>` its reply and `=` the reward and the rest of what `step` returned.
"""


def games_page() -> str:
    """Return docs/games.md."""
    rows = [row for row in registry.ROWS if row.family == "game"]
    parts = ["# Games", GENERATED, INTRO.strip()]
    for row in rows:
        parts += section(row)
    return "\n\n".join(parts) + "\n"


def section(row: Row) -> Iterable[str]:
    """Yield the parts of a game's section."""
    env = gym.make(row.id(""))
    rules, _ = env.reset(seed=0)
    yield f"## {row.name}"
    yield fenced(rules)
    yield scores(row)
    if getattr(solver_for(env), "oracle", False):
        yield "The solver is an oracle: it reads what a player cannot, so 1 may be out of reach."
    if row.luck:
        ids = ", ".join(f"`{row.id(variant)}`" for variant in row.luck)
        yield f"Luck decides in {ids}: no player wins every episode."
    yield "An episode of the solver:"
    wins = (GOLDEN / f"{id.removeprefix('gem/')}-win.txt" for id in row.ids())
    yield fenced(min((path.read_text(encoding="utf-8") for path in wins), key=len))


def scores(row: Row) -> str:
    """Return the table of a game's ids."""
    games = load_json("calibration.json")["games"]
    lines = ["| id | turns | random | solver | solver wins | blind |", "|---|---|---|---|---|---|"]
    for id in row.ids():
        shown: dict[str, Any] = describe(id, row.family)
        shown["blind"] = max(games[id]["blind"].values())
        columns = ("turns", "random", "solver", "solver wins", "blind")
        lines.append(" | ".join([f"| `{id}`", *(cell(shown[name]) for name in columns)]) + " |")
    return "\n".join(lines)


def fenced(text: str) -> str:
    """Return a text as a code block."""
    return f"```text\n{text.rstrip()}\n```"


def ids_page() -> str:
    """Return docs/gem_ids.md."""
    named = {row.name: row for row in registry.ROWS}
    lines = [
        "# GEM's ids beside ours",
        "",
        GENERATED,
        "",
        "What gem-llm 0.1.0 registers, and the id to use here. The rules of a game with the same",
        "name may differ where GEM's are wrong; [decisions.md](decisions.md) says how and why.",
        "Kwargs are those the id registers; what is not named has the standard game's value.",
        "",
        "| GEM | here | kwargs |",
        "|---|---|---|",
    ]
    for name, variants in GEM_VARIANTS.items():
        row = named[name]
        for variant in variants:
            kwargs = ", ".join(f"{key}={value!r}" for key, value in row.variants[variant].items())
            lines.append(f"| `game:{name}-v0-{variant}` | `{row.id(variant)}` | `{kwargs}` |")
        lines.append(f"| | `{row.id('')}` | the standard game |")
    lines += [*data_sets(), *reasoning_gym(), *terminal(), *mcp()]
    return "\n".join(lines) + "\n"


def data_sets() -> Iterable[str]:
    """Yield the lines on hub data sets."""
    yield from (
        "",
        "## Data sets",
        "",
        "Their rows come from the Hugging Face hub: `gem-gym fetch <id>` brings them here, and",
        "until then the id raises `DataUnavailable`. The unsuffixed id of a family (`gem/Math-v0`,",
        "`gem/Geometry-v0`, `gem/Code-v0`, `gem/QA-v0`, `gem/Logic-v0`) takes rows of your own;",
        "see [tasks.md](tasks.md). GEM's WebShop ids (`webshop:...`) have no counterpart.",
        "",
        "| GEM | here | data set | kwargs |",
        "|---|---|---|---|",
    )
    for row in DATA_SETS:
        kwargs = ", ".join(f"{key}={value!r}" for key, value in row.settings.items())
        gem = f"`{row.gem}`" if row.gem else ""
        told = f"`{kwargs}`" if kwargs else ""
        yield f"| {gem} | `gem/{row.name}-v0` | `{row.repo}` | {told} |"


def reasoning_gym() -> Iterable[str]:
    """Yield the lines on reasoning-gym."""
    yield from (
        "",
        "## ReasoningGym",
        "",
        "GEM's `rg:<name>` is `gem/RG-<name>-v0`, with `size=500` and `seed=42` as there. A star:",
        "some items take over 20 ms to generate, up to seconds, so they are made ahead in the",
        "background.",
        "",
    )
    marked = (f"`{name}`" + ("*" if name in SLOW else "") for name in NAMES)
    yield from wrap(", ".join(marked) + ".", 100, break_on_hyphens=False)


def terminal() -> Iterable[str]:
    """Yield the lines on terminal tasks."""
    ids = [id for id in registry.ids("terminal") if id != TERMINAL.id("")]
    yield from (
        "",
        "## Terminal",
        "",
        "GEM registers no terminal id; its `DockerEnv` is given a Terminal-Bench folder. Here",
        f"`{TERMINAL.id('')}` and the ids of its families need no Docker; see",
        "[terminal.md](terminal.md):",
        "",
    )
    yield from wrap(", ".join(f"`{id}`" for id in ids) + ".", 100, break_on_hyphens=False)


def mcp() -> Iterable[str]:
    """Yield the lines on tasks over MCP servers."""
    yield from (
        "",
        "## MCP",
        "",
        "GEM registers no MCP id; its `MCPMarkEnv` wraps MCPMark's tasks on services that need",
        f"accounts. Here `{registry.MCP.id('')}` has a database, a real MCP server and tasks of",
        "our own; see [tools.md](tools.md#a-database-to-work-on).",
    )


PAGES = {"games.md": games_page, "gem_ids.md": ids_page}


if __name__ == "__main__":
    for page, write in PAGES.items():
        (DOCS / page).write_text(write(), encoding="utf-8", newline="\n")
        print(DOCS / page)
