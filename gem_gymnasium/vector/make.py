"""make_vec: a vector env by ids, in a loop, in processes or in threads."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, Literal

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.vector.slots import AnyEnv
from gem_gymnasium.vector.thread import STEP_TIMEOUT_S, ThreadVectorEnv

Mode = Literal["sync", "async", "thread"]
Wrapper = Callable[[AnyEnv], AnyEnv]

_MODES: Mapping[str, Callable[..., VectorEnv[Any, Any, Any]]] = {
    "sync": SyncVectorEnv,
    "async": AsyncVectorEnv,
    "thread": ThreadVectorEnv,
}


def make_vec(
    ids: str | Sequence[str],
    num_envs: int | None = None,
    mode: Mode = "sync",
    *,
    wrappers: Sequence[Wrapper] = (),
    autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
    step_timeout_s: float | None = None,
    vector_kwargs: Mapping[str, Any] | None = None,
    **env_kwargs: Any,
) -> VectorEnv[Any, Any, Any]:
    """Make a vector env.

    Args:
        ids: One id, or several that the envs take in turn.
        num_envs: How many envs; None means one for each id.
        mode: ``"sync"`` steps in a loop (best for cheap steps), ``"async"`` in one process an env
            (best for heavy ones), ``"thread"`` in threads (best for waiting).
        wrappers: Applied to each env, the first one innermost.
        autoreset_mode: When a finished env is reset.
        step_timeout_s: For ``mode="thread"``, which alone has a deadline: seconds that an env may
            take; None means 600.
        vector_kwargs: Further arguments of the vector env's class.
        **env_kwargs: Arguments of every env.

    Returns:
        A ``SyncVectorEnv``, ``AsyncVectorEnv`` or :class:`ThreadVectorEnv`.

    Raises:
        UnknownName: ``mode`` does not exist.
        ConfigError: There are no ids, or fewer envs than ids, or a deadline in another mode.
    """
    if mode not in _MODES:
        raise UnknownName("vector mode", mode, _MODES)
    names = [ids] if isinstance(ids, str) else list(ids)
    if not names:
        raise ConfigError("make_vec needs at least one id")
    count = len(names) if num_envs is None else num_envs
    if count < 1:
        raise ConfigError(f"num_envs must be at least 1, got {count}")
    if count < len(names):
        raise ConfigError(f"num_envs={count} leaves out ids: {len(names)} are given")
    keywords = {"autoreset_mode": autoreset_mode, **(vector_kwargs or {})}
    if mode == "thread":
        keywords["step_timeout_s"] = STEP_TIMEOUT_S if step_timeout_s is None else step_timeout_s
    elif step_timeout_s is not None:
        raise ConfigError(f"step_timeout_s needs mode='thread', got mode={mode!r}")
    specs = [_spec(name) for name in names]
    env_fns = [
        partial(_make, specs[i % len(specs)], tuple(wrappers), env_kwargs) for i in range(count)
    ]
    envs = _MODES[mode](env_fns, **keywords)
    if len(set(names)) == 1:
        envs.spec = deepcopy(specs[0])
        envs.spec.kwargs.update(env_kwargs)
    return envs


def _spec(name: str) -> EnvSpec:
    """Return an id's spec; specs and not ids go to other processes, which know fewer ids."""
    module, _, id = name.rpartition(":")
    if module:
        importlib.import_module(module)
    return gym.spec(id)


def _make(spec: EnvSpec, wrappers: tuple[Wrapper, ...], kwargs: Mapping[str, Any]) -> AnyEnv:
    env: AnyEnv = gym.make(spec, **kwargs)
    for wrapper in wrappers:
        env = wrapper(env)
    return env
