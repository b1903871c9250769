"""Games of several players as envs that a policy plays alone: every seat of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import gymnasium as gym
import pettingzoo  # pyright: ignore[reportMissingTypeStubs]
from pettingzoo import AECEnv, ParallelEnv  # pyright: ignore[reportMissingTypeStubs]

from gem_gymnasium import errors
from gem_gymnasium.multiplayer import AllSeats, players  # the package registers the games

AnyEnv = gym.Env[Any, Any]


def is_game(id: str) -> bool:
    """Return whether an id is PettingZoo's, and not gymnasium's."""
    return id in pettingzoo.aec_registry and id not in gym.registry


def unknown(id: str) -> errors.UnknownName:
    """Return the error of an id that neither has; gymnasium's own names no game of PettingZoo's."""
    known = {*gym.registry, *pettingzoo.aec_registry}
    far = "`gem-gym list` shows every id"
    return errors.UnknownName("env", id, known, far=far, cutoff=0.8)  # all end in -v0 or the like


def check_id(id: str) -> None:
    """Refuse an id that is registered nowhere; one with a module is not imported yet.

    Raises:
        UnknownName: It is not; the message names the nearest that is.
    """
    if ":" in id or is_game(id):
        return
    try:
        gym.spec(id)
    except gym.error.Error as error:
        raise unknown(id) from error


def with_opponents(ids: Iterable[str]) -> list[str]:
    """Return ids, each once, a game's as those of one seat with a player of ours in the others.

    A game that has no such id stays itself.
    """
    found: list[str] = []
    for id in ids:
        name, _, version = id.rpartition("-v")
        against = [f"{name}-vs-{player}-v{version}" for player in players.PLAYERS]
        registered = [each for each in against if each in gym.registry]
        found += registered if is_game(id) and registered else [id]
    return list(dict.fromkeys(found))


def make(id: str) -> Any:
    """Make an env of gymnasium's, or a game in AEC form.

    Raises:
        UnknownName: The id is registered nowhere; the message names the nearest that is.
    """
    check_id(id)
    if is_game(id):
        return pettingzoo.make("aec", id)
    try:
        return gym.make(id)
    except gym.error.UnregisteredEnv as error:  # its module has no such id
        raise unknown(id) from error


def is_game_env(env: object) -> bool:
    """Return whether it is an env of PettingZoo's."""
    return isinstance(env, AECEnv | ParallelEnv)


def is_for_several(env: Any) -> bool:
    """Return whether an env is for several players, or already plays all seats of one that is."""
    return is_game_env(env) or isinstance(env.unwrapped, AllSeats)


def with_all_seats(env: Any, remembering: Callable[[AnyEnv], AnyEnv]) -> AnyEnv:
    """Return a game as an env for one policy that plays every seat.

    Args:
        env: The game, or an env that plays all its seats, which is left as it is.
        remembering: Wraps what one seat reads, so that it remembers its own past and no other's.

    Raises:
        ConfigError: The game is in PettingZoo's parallel form.
    """
    if isinstance(env, ParallelEnv):
        raise errors.ConfigError(f"{env} is a parallel env: give the game in its AEC form")
    return AllSeats(env, wrap=remembering) if isinstance(env, AECEnv) else env


def seats_of(env: AnyEnv) -> int:
    """Return how many seats of an env the policy plays."""
    base: object = env.unwrapped
    return base.seats if isinstance(base, AllSeats) else 1


def name_of(env: AnyEnv, given: str = "") -> str:
    """Return the id an env was made by.

    Args:
        env: The env.
        given: The id of a game, whose env knows none.
    """
    base: Any = env.unwrapped
    if isinstance(base, AllSeats):
        return given or str(base.game.metadata.get("name", type(base.game).__name__))
    return env.spec.id if env.spec else type(base).__name__
