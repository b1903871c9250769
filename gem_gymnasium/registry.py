"""The table of ids: data, and one loop that registers it with gymnasium."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium as gym

from gem_gymnasium.tasks import data_sets, reasoning_gym_names

NAMESPACE = "gem"


class Row(NamedTuple):
    """A game or a family: each variant is a suffix of the id and its kwargs.

    The unsuffixed id of a game is the standard game, that of a family of data sets takes rows of
    the caller's own.
    """

    name: str
    entry_point: str
    variants: Mapping[str, Mapping[str, Any]]
    version: int = 0
    family: str = "game"
    luck: tuple[str, ...] = ()
    """The variants (``""``: the standard game) that bad luck can make even the best player lose."""
    standard: bool = True
    """Whether there is an unsuffixed id."""
    nondeterministic: bool = False
    """Whether live processes can make the same actions give other bytes."""

    def id(self, variant: str) -> str:
        """Return the id of a variant (``""``: the standard game)."""
        suffix = f"-{variant}" if variant else ""
        return f"{NAMESPACE}/{self.name}{suffix}-v{self.version}"

    def ids(self) -> dict[str, dict[str, Any]]:
        """Return every id of the row with the kwargs of its env."""
        table: dict[str, dict[str, Any]] = {self.id(""): {}} if self.standard else {}
        for variant, kwargs in self.variants.items():
            table[self.id(variant)] = dict(kwargs)
        return table


GAMES: tuple[Row, ...] = (
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


def _tasks(name: str, entry_point: str, family: str, *, standard: bool = True) -> Row:
    """Return the row of a family of hub data sets, which ``tasks/data_sets.py`` lists."""
    sets = data_sets.variants(name, entry_point)
    path = f"gem_gymnasium.tasks.{entry_point}"
    return Row(name, path, sets, family=family, standard=standard)


TASK_ROWS: tuple[Row, ...] = (
    _tasks("Math", data_sets.MATH, "math"),
    _tasks("Geometry", data_sets.GEOMETRY, "geometry"),
    _tasks("Code", data_sets.CODE, "code"),
    _tasks("QA", data_sets.QA, "qa"),
    _tasks("Logic", data_sets.LOGIC, "logic"),
    _tasks("Eval", data_sets.MATH, "eval", standard=False),
    _tasks("Eval", data_sets.CODE, "eval", standard=False),
    _tasks("Eval", data_sets.QA, "eval", standard=False),
)
"""Families over hub data sets: an id of them raises ``DataUnavailable`` until it is fetched."""

REASONING_GYM = Row(
    "RG",
    "gem_gymnasium.tasks.reasoning:ReasoningEnv",
    {name: {"dataset": name} for name in reasoning_gym_names.NAMES},
    family="rg",
    standard=False,
)

_HOPS = {f"{hops}hop": {"min_hops": hops, "max_hops": hops} for hops in (1, 2)}

GENERATED: tuple[Row, ...] = (
    Row(
        "Math-Synthetic",
        "gem_gymnasium.tasks.math_synthetic.env:MathSyntheticEnv",
        {f"l{level}": {"min_level": level, "max_level": level} for level in range(1, 6)},
        family="math",
    ),
    Row(
        "Geometry-Synthetic",
        "gem_gymnasium.tasks.geometry_synthetic.env:GeometrySyntheticEnv",
        {},
        family="geometry",
    ),
    Row(
        "Logic-Rules",
        "gem_gymnasium.tasks.logic_rules:LogicRulesEnv",
        {f"d{depth}": {"min_depth": depth, "max_depth": depth} for depth in range(6)},
        family="logic",
    ),
    Row(
        "Code-Synthetic",
        "gem_gymnasium.tasks.code_synthetic.env:CodeSyntheticEnv",
        {},
        family="code",
    ),
    Row(
        "Code-HumanEval",
        "gem_gymnasium.tasks.human_eval:HumanEvalEnv",
        {},
        family="code",
    ),
    Row(
        "QA-Sample",
        "gem_gymnasium.tasks.qa_sample:QaSampleEnv",
        _HOPS,
        family="qa",
    ),
    Row(
        "QA-Wiki",
        "gem_gymnasium.tasks.qa_wiki:QaWikiEnv",
        _HOPS,
        family="qa",
    ),
)
"""Families whose rows are generated, or read from an installed package: they need no data set."""

_FAMILIES = ("files", "text", "data", "git", "debugging", "processes")

TERMINAL = Row(
    "Terminal",
    "gem_gymnasium.terminal.env:TerminalEnv",
    {family: {"family": family} for family in _FAMILIES},
    family="terminal",
    nondeterministic=True,
)
"""Tasks in a live shell: a clock and process numbers can get into what its commands write."""

TASK_FOLDER = Row(
    "Terminal-Folder",
    "gem_gymnasium.terminal.folder_env:TaskFolderEnv",
    {},
    family="terminal-folder",
    nondeterministic=True,
)
"""A task folder of the caller's own (``folder=...``)."""


def _versus(name: str, module: str, best: str = "") -> Row:
    """Return a game of several as a game for one, the other seats taken by a player of ours."""
    players = ("random", best) if best else ("random",)
    return Row(
        name,
        "gem_gymnasium.multiplayer.single_player:make",
        {f"vs-{player}": {"module": module, "opponents": player} for player in players},
        family="versus",
        standard=False,
    )


VERSUS: tuple[Row, ...] = (
    _versus("TicTacToe", "tic_tac_toe", "solver"),
    _versus("ConnectFour", "connect_four", "solver"),
    _versus("Nim", "nim", "solver"),
    _versus("KuhnPoker", "kuhn_poker", "solver"),
    _versus("LeducPoker", "leduc_poker", "solver"),
    _versus("LiarsDice", "liars_dice", "heuristic"),
    _versus("Battleship", "battleship", "heuristic"),
    _versus("RockPaperScissors", "rock_paper_scissors"),
    _versus("PrisonersDilemma", "prisoners_dilemma", "heuristic"),
    _versus("LowestUnique", "lowest_unique", "heuristic"),
    _versus("Negotiation", "negotiation", "heuristic"),
)
"""Multi-player games (``gem_gymnasium.multiplayer``) with players of ours in the other seats."""

MCP = Row("MCP-SQLite", "gem_gymnasium.tasks.mcp_sqlite:McpSqliteEnv", {}, family="mcp")
"""Tasks on a service that is reached by the tools of a live MCP server."""

ROWS: tuple[Row, ...] = (
    *GAMES,
    *TASK_ROWS,
    *GENERATED,
    REASONING_GYM,
    TERMINAL,
    TASK_FOLDER,
    MCP,
    *VERSUS,
)


def ids(*families: str) -> tuple[str, ...]:
    """Return the registered ids, in the order of the table.

    Args:
        *families: Only those of these families; none: all.
    """
    rows = [row for row in ROWS if not families or row.family in families]
    return tuple(id for row in rows for id in row.ids())


def ids_of_luck() -> frozenset[str]:
    """Return the ids that bad luck can make even the best player lose."""
    return frozenset(row.id(variant) for row in GAMES for variant in row.luck)


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
                    id=id,
                    entry_point=row.entry_point,
                    order_enforce=False,
                    nondeterministic=row.nondeterministic,
                    kwargs=kwargs,
                )
