"""Solvers: one file a game, each playing from the observations alone."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import gymnasium as gym

from gem_gymnasium.core.errors import UnknownName
from gem_gymnasium.solvers.base import Solver

__all__ = ["SOLVERS", "Solver", "solver_for"]

SOLVERS = {
    "GuessTheNumberEnv": "gem_gymnasium.solvers.guess_the_number:GuessTheNumberSolver",
    "MastermindEnv": "gem_gymnasium.solvers.mastermind:MastermindSolver",
    "MinesweeperEnv": "gem_gymnasium.solvers.minesweeper:MinesweeperSolver",
    "WordleEnv": "gem_gymnasium.solvers.wordle:WordleSolver",
    "FifteenPuzzleEnv": "gem_gymnasium.solvers.fifteen_puzzle:FifteenPuzzleSolver",
    "SokobanEnv": "gem_gymnasium.solvers.sokoban:SokobanSolver",
    "HangmanEnv": "gem_gymnasium.solvers.hangman:HangmanSolver",
    "SudokuEnv": "gem_gymnasium.solvers.sudoku:SudokuSolver",
    "TowerOfHanoiEnv": "gem_gymnasium.solvers.tower_of_hanoi:TowerOfHanoiSolver",
    "Game2048Env": "gem_gymnasium.solvers.game_2048:Game2048Solver",
    "CrosswordsEnv": "gem_gymnasium.solvers.crosswords:CrosswordsSolver",
    "WordSearchEnv": "gem_gymnasium.solvers.word_search:WordSearchSolver",
    "WikiGameEnv": "gem_gymnasium.solvers.wiki_game:WikiGameSolver",
}
"""The solver of each env class, as strings: only the one asked for is imported."""

ORACLES = {
    "DatasetTask": "gem_gymnasium.solvers.gold:GoldSolver",
    "McpSqliteEnv": "gem_gymnasium.solvers.reference:ReferenceSolver",
    "TerminalEnv": "gem_gymnasium.solvers.reference:ReferenceSolver",
}
"""Those that read the very env they play."""


ONE_SEAT = {
    "SinglePlayer": "of a game of several players, take "
    "gem_gymnasium.multiplayer.players.player_for(name, env.unwrapped.game)"
}
"""What to do instead where another thing than a solver plays."""


def solver_for(env: gym.Env[Any, Any] | str) -> Solver:
    """Return a new solver of an env's game.

    Args:
        env: An env, wrapped or not, or a registered id.

    A task's (a row's, a terminal's) is an oracle that plays the very env it is given, and needs it:
    an id will not do.

    Raises:
        UnknownName: There is no solver for it.
        gymnasium.error.UnregisteredEnv: There is no such id.
    """
    names = _class_names(env)
    for name in names:
        if name in ORACLES and not isinstance(env, str):
            return _imported(ORACLES[name])(env.unwrapped)
        if name in SOLVERS:
            return _imported(SOLVERS[name])()
    raise UnknownName("game of a solver", names[0], SOLVERS, ONE_SEAT.get(names[0], ""))


def _imported(path: str) -> Any:
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def _class_names(env: gym.Env[Any, Any] | str) -> list[str]:
    """Return the names of the env's class and, of an env, of those it inherits from."""
    if not isinstance(env, str):
        return [base.__name__ for base in type(env.unwrapped).__mro__]
    # gymnasium.make takes "module:id", gymnasium.spec only the id.
    entry_point = gym.spec(env.rpartition(":")[2]).entry_point
    if isinstance(entry_point, str):
        return [entry_point.rpartition(":")[2]]
    return [getattr(entry_point, "__name__", repr(entry_point))]
