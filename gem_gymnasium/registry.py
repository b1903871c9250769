"""The table of ids: data, and one loop that registers it with gymnasium."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium as gym

NAMESPACE = "gem"


class Row(NamedTuple):
    """One game: its unsuffixed id is the standard game, each variant a suffix and its kwargs."""

    name: str
    entry_point: str
    variants: Mapping[str, Mapping[str, Any]]
    version: int = 0
    family: str = "game"
    luck: tuple[str, ...] = ()
    """The variants (``""``: the standard game) that bad luck can make even the best player lose."""

    def id(self, variant: str) -> str:
        """Return the id of a variant (``""``: the standard game)."""
        suffix = f"-{variant}" if variant else ""
        return f"{NAMESPACE}/{self.name}{suffix}-v{self.version}"

    def ids(self) -> dict[str, dict[str, Any]]:
        """Return every id of the row with the kwargs of its env."""
        table: dict[str, dict[str, Any]] = {self.id(""): {}}
        for variant, kwargs in self.variants.items():
            table[self.id(variant)] = dict(kwargs)
        return table


ROWS: tuple[Row, ...] = (
    Row(
        "GuessTheNumber",
        "gem_gymnasium.games.guess_the_number:GuessTheNumberEnv",
        {
            "easy": {"low": 1, "high": 10, "max_turns": 4},
            "hard": {"low": 1, "high": 50, "max_turns": 7},
            "random": {"random": True},
        },
    ),
    Row(
        "Mastermind",
        "gem_gymnasium.games.mastermind:MastermindEnv",
        {
            "easy": {"length": 2, "max_turns": 10},
            "hard": {"digits": 8, "max_turns": 30},
            "random": {"random": True},
        },
    ),
    Row(
        "Minesweeper",
        "gem_gymnasium.games.minesweeper:MinesweeperEnv",
        {
            "easy": {"rows": 5, "columns": 5, "mines": 5, "max_turns": 25, "logical": True},
            "hard": {"mines": 12, "logical": True},
            "random": {"random": True},
        },
        luck=("", "random"),
    ),
    Row(
        "Wordle",
        "gem_gymnasium.games.wordle:WordleEnv",
        {
            "easy": {"length": 3, "max_turns": 15},
            "hard": {"max_turns": 25},
            "random": {"random": True},
        },
    ),
    Row(
        "FifteenPuzzle",
        "gem_gymnasium.games.fifteen_puzzle:FifteenPuzzleEnv",
        {
            "easy": {"size": 2, "max_turns": 10},
            "hard": {"max_turns": 50},
            "random": {"random": True},
        },
    ),
    Row(
        "Hangman",
        "gem_gymnasium.games.hangman:HangmanEnv",
        {
            "easy": {"length": 3, "max_turns": 10},
            "hard": {"length": 7},
            "random": {"random": True},
        },
        luck=("easy", "random"),
    ),
    Row(
        "Sudoku",
        "gem_gymnasium.games.sudoku:SudokuEnv",
        {
            "easy": {"size": 4, "clues": 7, "max_turns": 15},
            "hard": {"clues": 33, "max_turns": 50},
            "random": {"random": True},
        },
    ),
    Row(
        "TowerofHanoi",
        "gem_gymnasium.games.tower_of_hanoi:TowerOfHanoiEnv",
        {
            "easy": {"disks": 3, "max_turns": 10},
            "hard": {"disks": 5, "max_turns": 35},
            "random": {"random": True},
        },
    ),
    Row(
        "Game2048",
        "gem_gymnasium.games.game_2048:Game2048Env",
        {
            "easy": {"target": 64, "max_turns": 50},
            "hard": {"target": 1_024, "max_turns": 650},
            "extreme-hard": {"max_turns": 1_100},
            "random": {"random": True},
        },
        luck=("", "easy", "hard", "extreme-hard", "random"),
    ),
    Row(
        "Sokoban",
        "gem_gymnasium.games.sokoban:SokobanEnv",
        {
            "easy": {"boxes": 2, "max_turns": 20},
            "hard": {"size": 8, "boxes": 4, "max_turns": 50},
            "random": {"random": True},
        },
    ),
    Row(
        "Crosswords",
        "gem_gymnasium.games.crosswords:CrosswordsEnv",
        {
            "easy": {"words": 3, "vocabulary": "basic", "max_turns": 30},
            "hard": {
                "words": 3,
                "vocabulary": "rare",
                "min_length": 6,
                "max_length": 9,
                "max_turns": 40,
            },
            "random": {"random": True},
        },
    ),
    Row(
        "WordSearch",
        "gem_gymnasium.games.word_search:WordSearchEnv",
        {
            "easy": {"size": 8, "directions": 2, "max_length": 6},
            "hard": {"size": 12, "directions": 8, "min_length": 7, "max_length": 10},
            "random": {"random": True},
        },
    ),
    Row(
        "WikiGame",
        "gem_gymnasium.games.wiki_game:WikiGameEnv",
        {
            "easy": {"min_distance": 2, "max_distance": 3},
            "hard": {"min_distance": 5, "max_distance": 6, "max_turns": 15},
        },
    ),
)


def ids() -> tuple[str, ...]:
    """Return every registered id of the package, in the order of the table."""
    return tuple(id for row in ROWS for id in row.ids())


def ids_of_luck() -> frozenset[str]:
    """Return the ids that bad luck can make even the best player lose."""
    return frozenset(row.id(variant) for row in ROWS for variant in row.luck)


def register() -> None:
    """Register every row with gymnasium; a second call does nothing.

    Entry points are strings, so no env is imported. TextEnv itself raises where OrderEnforcing
    would, so that wrapper (a twentieth of a step) is left out. No id sets
    ``max_episode_steps``: the turn budget is a rule of the game, and a TimeLimit of the same
    length would set both end flags.
    """
    for row in ROWS:
        for id, kwargs in row.ids().items():
            if id not in gym.registry:
                gym.register(  # pyright: ignore[reportUnknownMemberType]  # untyped kwargs
                    id=id, entry_point=row.entry_point, order_enforce=False, kwargs=kwargs
                )
