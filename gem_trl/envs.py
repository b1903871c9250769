"""The environments a rollout plays in: what the user gave as ``env``, as one small interface."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import gymnasium as gym
from gymnasium.vector import AutoresetMode, VectorEnv

from gem_gymnasium import errors
from gem_gymnasium.vector import ThreadVectorEnv
from gem_gymnasium.wrappers import History, ToolUse
from gem_trl import games, mixture
from gem_trl.env_batch import NOT_THREADED, Envs, ThreadedEnvs, VectorEnvs

logger = logging.getLogger(__name__)

AnyEnv = gym.Env[Any, Any]
EnvFn = Callable[[], Any]
EnvSource = str | Sequence[str] | Sequence[tuple[str, float]] | EnvFn | VectorEnv[Any, Any, Any]
"""An id, a list of ids or of (id, weight), a callable that builds an env, or a vector env.

An env is one of gymnasium's, or a game of PettingZoo's in AEC form, all of whose seats are played.
"""


def check_source(source: EnvSource, num_envs: int) -> None:
    """Refuse ids and lists that ``open_envs`` would refuse, without building an env.

    Raises:
        ConfigError: A list does not fit.
        UnknownName: An id is not registered.
    """
    if isinstance(source, VectorEnv) or callable(source):
        return
    ids, weights = mixture.parse([source] if isinstance(source, str) else source)
    mixture.apportion(num_envs, weights)
    for id in ids:
        games.check_id(id)


def open_envs(
    source: EnvSource,
    num_envs: int,
    history: str,
    history_kwargs: Mapping[str, Any],
    timeout_s: float,
    tools: Sequence[str] = (),
    tool_kwargs: Mapping[str, Any] | None = None,
) -> Envs:
    """Build the envs of a rollout.

    Args:
        source: See ``EnvSource``. The envs are shared out over a list by its weights.
        num_envs: How many envs to build (a vector env brings its own).
        history: Layout of the History wrapper to add where the stack has none, or ``"none"``.
        history_kwargs: Its other options.
        timeout_s: Seconds an env may take for a step or reset before it counts as failed.
        tools: Names of the tools of the ToolUse wrapper to add where the stack has none.
        tool_kwargs: Its other options.

    Raises:
        ConfigError: ``source`` is none of these, or lists more ids than there are envs; a weight
            or an option of a wrapper is refused; tools are asked for in a vector env or a game of
            several players; a game is wrapped so that its seats would be taken for one player; a
            callable returns no env.
    """
    if isinstance(source, VectorEnv):
        if tools:
            raise errors.ConfigError(
                "tools cannot be added to the envs of a vector env: wrap each in "
                "gem_gymnasium.wrappers.ToolUse"
            )
        return _opened(cast("VectorEnv[Any, Any, Any]", source), history)
    ids: list[str] = []
    weights = [1.0]
    if isinstance(source, str):
        ids = [source]
    elif isinstance(source, gym.Env) or games.is_game_env(source):
        raise errors.ConfigError(
            f"env is one made env, {source}; give its id, or a callable that builds a new one"
        )
    elif not callable(source):
        ids, weights = mixture.parse(source)
    builders: list[EnvFn] = [functools.partial(games.make, id) for id in ids]
    if not ids:
        builders = [cast("EnvFn", source)]
    shares = mixture.apportion(num_envs, weights)
    kinds = [kind for kind, share in enumerate(shares) for _ in range(share)]

    def remembering(env: AnyEnv) -> AnyEnv:
        return with_history(env, history, history_kwargs)

    def build(kind: int) -> EnvFn:
        def made() -> AnyEnv:
            env = builders[kind]()
            if not _is_env(env):
                raise errors.ConfigError(
                    "env must be an id, or a callable that returns an env of gymnasium's or a game "
                    f"of PettingZoo's; it returned {env!r}"
                )
            if games.is_for_several(env):
                if tools:
                    raise errors.ConfigError(
                        f"tools cannot be added to {env}, a game of several players: leave tools "
                        "out, or train on an id of one seat (-vs-...)"
                    )
                _check_wrappers(env)
                return games.with_all_seats(env, remembering)
            # Tools first, so that a History remembers what they gave.
            return remembering(with_tools(env, tools, tool_kwargs or {}))

        return made

    vector = ThreadVectorEnv(
        [build(kind) for kind in kinds],
        autoreset_mode=AutoresetMode.DISABLED,
        step_timeout_s=timeout_s,
    )
    return ThreadedEnvs(vector, kinds, weights, owned=True, ids=ids)


def _opened(vector: VectorEnv[Any, Any, Any], history: str) -> Envs:
    """Take a vector env of the user's as it is."""
    envs: Sequence[AnyEnv] = getattr(vector, "envs", ())
    first = next(iter(envs), None)
    threaded = (
        isinstance(vector, ThreadVectorEnv)
        and vector.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    )
    if any(games.seats_of(env) > 1 for env in envs):
        if not threaded:
            raise errors.ConfigError(NOT_THREADED)
        for env in filter(games.is_for_several, envs):
            _check_wrappers(env)
    elif history != "none" and first is not None and not has_history(first):
        logger.warning(
            "the vector env's envs have no History wrapper, and none can be added from outside: "
            "prompts hold the newest observation only. Wrap each env in "
            "gem_gymnasium.wrappers.History, or set history='none' if this is meant."
        )
    if threaded:
        assert isinstance(vector, ThreadVectorEnv)
        return ThreadedEnvs(vector, (0,) * vector.num_envs, (1.0,), owned=False)
    return VectorEnvs(vector)


def _is_env(env: object) -> bool:
    return isinstance(env, gym.Env) or games.is_game_env(env)


def _check_wrappers(env: Any) -> None:
    """Refuse wrappers that take the seats of a game for one player.

    Raises:
        ConfigError: A History would show a seat what the others read, or a ToolUse would pay the
            last reply again.
    """
    for kind in (History, ToolUse):
        if _has(env, kind):
            raise errors.ConfigError(
                f"{kind.__name__} around a whole game takes its seats for one player, got {env}: "
                "give AllSeats(game, wrap=...), which wraps each seat"
            )


def has_history(env: AnyEnv) -> bool:
    """Return whether a History wrapper is in the stack."""
    return _has(env, History)


def _has(env: AnyEnv, kind: type[AnyEnv]) -> bool:
    while isinstance(env, gym.Wrapper):
        if isinstance(env, kind):
            return True
        env = env.env
    return False


def with_tools(env: AnyEnv, tools: Sequence[str], tool_kwargs: Mapping[str, Any]) -> AnyEnv:
    """Add a ToolUse wrapper unless no tool is asked for or the stack has one."""
    if not tools or _has(env, ToolUse):
        return env
    try:
        return ToolUse(env, tools, **tool_kwargs)
    except TypeError as error:
        raise errors.ConfigError(f"tool_kwargs {dict(tool_kwargs)}: {error}") from error


def with_history(env: AnyEnv, history: str, history_kwargs: Mapping[str, Any]) -> AnyEnv:
    """Add a History wrapper unless ``history`` is ``"none"`` or the stack has one."""
    if history == "none" or has_history(env):
        return env
    try:
        return History(env, cast("Any", history), **history_kwargs)
    except TypeError as error:
        raise errors.ConfigError(f"history_kwargs {dict(history_kwargs)}: {error}") from error
