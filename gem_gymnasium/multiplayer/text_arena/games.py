"""TextArena's games: which there are, for how many players, and what keeps one from being made."""

from __future__ import annotations

import os
import random
import re
import sys
import threading
import warnings
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from gem_gymnasium.core.errors import (
    ConfigError,
    GameUnavailable,
    MissingDependency,
    StepTimeout,
    UnknownName,
)
from gem_gymnasium.multiplayer.text_arena import confine

FORMS = ("-raw", "-train")
"""Ends of the ids that TextArena gives the same game under, shown in another form."""

_PLAYERS = {
    (1, 1): (
        "BabyAiText Bandit Blackjack Countdown Crosswords Cryptarithm FifteenPuzzle FrozenLake "
        "Game2048 GuessTheNumber GuessWho Hangman Klondike LightsOut LogicPuzzle Mastermind "
        "Minesweeper PegJump RushHour Secretary Set Slitherlink Sokoban Sudoku ThreeCardMonte "
        "TowerOfHanoi TwentyQuestions UltimateTexasHoldem WordLadder WordSearch Wordle"
    ),
    (2, 3): "Santorini",
    (2, 4): "Briscola Golf",
    (2, 15): "LiarsDice MarketEntryGame Poker PublicGoodsGame ScorableGames Snake Surround",
    (3, 3): "ThreePlayerGOPS ThreePlayerIPD ThreePlayerTicTacToe",
    (3, 15): "CharacterConclave",
    (4, 4): "Codenames SettlersOfCatan",
    (4, 15): "Taboo",
    (6, 15): "SecretMafia",
}
PLAYERS = {game: bounds for bounds, games in _PLAYERS.items() for game in games.split()}
"""The fewest and the most players of each game that is not for two."""

ALONE = ("Sokoban",)
"""Games that keep what they search for in variables of their modules."""

_loading = threading.Lock()
_alone = threading.Lock()


def _forget() -> None:
    """Begin anew in a forked process, where the threads that hold the locks are not."""
    global _loading, _alone
    _loading, _alone = threading.Lock(), threading.Lock()


os.register_at_fork(after_in_child=_forget)


def kind_of(env_id: str) -> str:
    """Return the name of a game's folder in TextArena, which all its variants share."""
    return registry()[env_id].entry_point.split(".")[2]


@contextmanager
def alone(env_id: str, deadline_s: float) -> Generator[None]:
    """Keep other threads out while a game runs that would take up what it does in theirs.

    Args:
        env_id: The game; most need not be alone.
        deadline_s: Seconds to wait for the others.

    Raises:
        StepTimeout: They took longer.
    """
    if kind_of(env_id) not in ALONE:
        yield
        return
    lock = _alone
    if not lock.acquire(timeout=min(deadline_s, threading.TIMEOUT_MAX)):
        raise StepTimeout(f"TextArena's {env_id} waited over {deadline_s:g} s for other threads")
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _importing() -> Generator[None]:
    """Import from TextArena one at a time, and leave the warnings and the dice as they were."""
    with _loading, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its sources have escapes that Python warns of
        drawn = random.getstate()  # rich, for one, draws when it is imported
        try:
            yield
        finally:
            random.setstate(drawn)


@cache
def registry() -> dict[str, Any]:
    """Return TextArena's own table: id -> spec.

    Raises:
        MissingDependency: TextArena is not installed.
    """
    with _importing():
        try:
            return import_module("textarena.envs.registration").ENV_REGISTRY
        except ModuleNotFoundError as error:
            if error.name != "textarena":
                raise
            raise MissingDependency("textarena", "textarena", "a game of TextArena") from None


def ids() -> tuple[str, ...]:
    """Return the id of each of TextArena's games, without the forms.

    Raises:
        MissingDependency: TextArena is not installed.
    """
    return tuple(id for id in registry() if not id.endswith(FORMS))


def players_of(env_id: str) -> tuple[int, int]:
    """Return the fewest and the most players of a game.

    Raises:
        UnknownName: TextArena has no such game.
        ConfigError: It is another form of one, or no str.
        MissingDependency: TextArena is not installed.
    """
    if not isinstance(env_id, str):  # pyright: ignore[reportUnnecessaryIsInstance] # users err
        raise ConfigError(f"env_id must be a str, got {env_id!r}")
    known = ids()
    for form in FORMS:
        if env_id.endswith(form) and env_id.removesuffix(form) in known:
            raise ConfigError(
                f"{env_id!r} is {env_id.removesuffix(form)!r} shown in another form; "
                "this env has a form of its own, so ask for that"
            )
    if env_id not in known:
        raise UnknownName("game of TextArena", env_id, known)
    return PLAYERS.get(kind_of(env_id), (2, 2))


@cache
def load(env_id: str) -> Any:
    """Return a game's class, its modules confined.

    Raises:
        GameUnavailable: Something that it needs is not here.
    """
    module_name, _, class_name = registry()[env_id].entry_point.partition(":")
    with _importing():
        nltk: Any = import_module("nltk")
        download, nltk.download = nltk.download, confine.skip_download
        try:
            module = import_module(module_name)
        except Exception as error:
            raise unavailable(env_id, error) from error
        finally:
            nltk.download = download
        confine.confine_modules()
    return getattr(module, class_name)


def make(env_id: str, kwargs: Mapping[str, Any]) -> Any:
    """Return a new game of TextArena, with the wrappers for its actions and none for its texts.

    Raises:
        GameUnavailable: Something that it needs is not here.
        ConfigError: An argument is refused.
    """
    spec, game = registry()[env_id], load(env_id)
    try:
        env = game(**{**spec.kwargs, **kwargs})
    except (TypeError, ValueError, AssertionError) as error:
        if lack_of(error) is None:
            raise ConfigError(f"TextArena's {env_id} refuses its arguments: {error}") from error
        raise unavailable(env_id, error) from error
    except Exception as error:
        raise unavailable(env_id, error) from error
    action_wrapper = sys.modules["textarena"].ActionWrapper
    for wrapper in spec.default_wrappers or ():
        if issubclass(wrapper, action_wrapper):
            env = wrapper(env)
    return env


def begin(env: Any, env_id: str, num_players: int, seed: int) -> None:
    """Deal.

    Raises:
        GameUnavailable: Something that the game needs is not here.
        ConfigError: It refuses the number of players.
    """
    try:
        env.reset(num_players=num_players, seed=seed)
    except Exception as error:
        if lack_of(error) is not None:
            raise unavailable(env_id, error) from error
        if isinstance(error, (AssertionError, ValueError)):
            raise ConfigError(f"TextArena's {env_id} cannot begin: {error}") from error
        raise
    _put_right(env.state)


def _put_right(state: Any) -> None:
    """Have a game for one player refuse replies for the reason and at the reward that it means.

    Some games give both in the wrong order: the reward of a refused reply was then a text, and a
    model's mistake a failure of the game.
    """
    if not isinstance(state, sys.modules["textarena"].SinglePlayerState):
        return
    refuse = state.set_invalid_move

    def set_invalid_move(reason: Any, reward: Any = -1.0) -> None:
        refuse(*((reward, reason) if isinstance(reward, str) else (reason, reward)))

    state.set_invalid_move = set_invalid_move


def unavailable(env_id: str, error: Exception) -> GameUnavailable:
    """Return the error that says what a game lacks."""
    lacks = lack_of(error) or f"what it did not find: {type(error).__name__}: {error}"
    return GameUnavailable(f"TextArena's {env_id} needs {lacks}")


def lack_of(error: Exception) -> str | None:
    """Return what a game's failure says that it lacks, or None if it failed for another reason."""
    if isinstance(error, SyntaxError):
        if sys.version_info < (3, 12) and error.msg.startswith("f-string"):
            return "Python 3.12 or newer"
        where = f"{str(error.filename).rpartition('textarena/')[2]}, line {error.lineno}"
        return f"a source that Python can read: {error.msg} ({where})"
    if isinstance(error, FileNotFoundError):
        missing = str(error.filename or error).partition("textarena/")[2] or str(error)
        return f"a file that TextArena's package does not have: {missing}"
    if isinstance(error, ModuleNotFoundError):
        if str(error.name).startswith("textarena."):
            return f"a module that TextArena's package does not have: {error.name}"
        return f"a package that is not installed: {error.name}"
    if type(error) is LookupError:
        named = re.search(r"nltk\.download\('([^']+)'\)", str(error))
        data = named[1] if named else "data"
        return f"{data!r} of nltk's data: run `python -m nltk.downloader {data}`"
    if "OPENROUTER_API_KEY" in str(error):
        return "a language model of OpenRouter: set OPENROUTER_API_KEY (no seed fixes what it says)"
    return None
