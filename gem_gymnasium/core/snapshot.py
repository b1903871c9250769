"""Save, restore and branch a live episode: the whole wrapper stack, as versioned JSON.

An env or wrapper takes part by two methods, ``snapshot_state() -> dict`` (JSON-able) and
``restore_state(dict)``; the stock gymnasium wrappers listed below are known by the attributes that
make up their state. Anything else raises, since leaving a counter out would be a silent fault.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import gymnasium as gym
import numpy as np
from gymnasium import wrappers

from gem_gymnasium.core.errors import ConfigError, SnapshotMismatch, SnapshotUnsupported

FORMAT_VERSION = 1
KEYS = ("id", "kwargs", "stack", "rng", "layers")

DAMAGE = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)
"""What reading and taking up a damaged snapshot may raise."""

AnyEnv = gym.Env[Any, Any]
EnvT = TypeVar("EnvT", bound=AnyEnv)

STOCK_WRAPPERS: dict[type[Any], tuple[str, ...]] = {
    wrappers.PassiveEnvChecker: (),
    wrappers.OrderEnforcing: ("_has_reset",),
    wrappers.TimeLimit: ("_elapsed_steps",),
    wrappers.Autoreset: ("autoreset",),
    # Its clock starts anew, and its queues of past episodes stay as they are.
    wrappers.RecordEpisodeStatistics: ("episode_count", "episode_returns", "episode_lengths"),
    wrappers.TransformAction: (),
    wrappers.TransformObservation: (),
    wrappers.TransformReward: (),
    wrappers.ClipReward: (),
}
"""Stock wrappers that a snapshot reaches through (these very types), and their state."""


def on_restore(layer: AnyEnv) -> dict[str, Any]:
    """Return what else a stock wrapper is set to on restore.

    A PassiveEnvChecker's check of the first steps compares them with the reset before, which a
    restored env never saw; a clock of another process says nothing here.
    """
    if isinstance(layer, wrappers.PassiveEnvChecker):
        return {"checked_step": True, "checked_data_reuse": True}
    if isinstance(layer, wrappers.RecordEpisodeStatistics):
        return {"episode_start_time": time.perf_counter()}
    return {}


@runtime_checkable
class Snapshottable(Protocol):
    """What an env or wrapper implements to be part of a snapshot."""

    def snapshot_state(self) -> dict[str, Any]:
        """Return the state as JSON-able data."""
        ...

    def restore_state(self, data: dict[str, Any]) -> None:
        """Take up the state that ``snapshot_state`` returned."""
        ...


def snapshot(env: AnyEnv) -> bytes:
    """Return the state of ``env``, its wrappers and its generator as JSON bytes.

    Args:
        env: A made env, with or without wrappers, before or within an episode.

    Raises:
        SnapshotUnsupported: The env says ``metadata["snapshot"] = False``, it or one of its
            wrappers has no known state, or what they give is no JSON.
    """
    identity = _identity(env)
    document = {
        "version": FORMAT_VERSION,
        **identity,
        "rng": _rng_state(env.unwrapped),
        "layers": [_layer_state(layer) for layer in _layers(env)],
    }
    try:
        return json.dumps(document, allow_nan=False, sort_keys=True).encode("ascii")
    except (TypeError, ValueError) as error:
        raise SnapshotUnsupported(f"the state of {env} is no JSON: {error}") from error


def restore(env: AnyEnv, data: bytes) -> None:
    """Put ``env`` into the state that :func:`snapshot` saved.

    The same actions then give the same continuation, byte for byte.

    Args:
        env: An env of the same id, kwargs and wrapper stack (the wrappers' arguments included).
        data: What ``snapshot`` returned.

    Raises:
        SnapshotMismatch: ``data`` is of another id, kwargs, stack or format version, or no
            snapshot at all. The env is then as it was.
        SnapshotUnsupported: As for ``snapshot``.
    """
    document = _parse(data)
    for key, here in _identity(env).items():
        if document[key] != here:
            raise SnapshotMismatch(f"the snapshot's {key} is {document[key]!r}, the env's {here!r}")
    before = [_layer_state(layer) for layer in _layers(env)], _rng_state(env.unwrapped)
    try:
        _apply(env, document["layers"], document["rng"])
    except DAMAGE as error:
        _apply(env, *before)
        raise SnapshotMismatch(f"the snapshot is damaged: {error!r}") from error


def _apply(env: AnyEnv, states: list[dict[str, Any]], rng: dict[str, Any] | None) -> None:
    """Put every layer and the generator into a state."""
    for layer, state in zip(_layers(env), states, strict=True):
        attributes = _attributes(layer)
        if attributes is None:
            cast("Snapshottable", layer).restore_state(state)
        else:
            values = {name: state[name] for name in attributes}
            for name, value in {**values, **on_restore(layer)}.items():
                setattr(layer, name, value)
    _restore_rng(env.unwrapped, rng)


def branch(env: EnvT, n: int) -> list[EnvT]:
    """Return ``n`` independent copies of ``env`` in its present state.

    The first continues on a copy of the env's generator, the others on generators spawned from
    that copy, so that copies of a copy differ from all of them. ``env`` itself is left untouched,
    so two calls give the same copies.

    Args:
        env: As for :func:`snapshot`.
        n: Number of copies, at least 1.

    Raises:
        ConfigError: ``n`` is below 1.
        SnapshotUnsupported: As for ``snapshot``.
    """
    if n < 1:
        raise ConfigError(f"n must be at least 1, got {n}")
    snapshot(env)  # raises where a copy would share what it must not
    copies = [copy.deepcopy(env) for _ in range(n)]
    spawned = copies[0].unwrapped.np_random.spawn(n - 1)
    for other, rng in zip(copies[1:], spawned, strict=True):
        other.unwrapped.np_random = rng
    return copies


def _layers(env: AnyEnv) -> Iterator[AnyEnv]:
    """Yield the wrappers from the outermost in, then the env itself."""
    while isinstance(env, gym.Wrapper):
        yield env
        env = env.env
    yield env


def _identity(env: AnyEnv) -> dict[str, Any]:
    """Return what must be equal in a snapshot and in the env it is restored into."""
    if not isinstance(env, gym.Env):  # pyright: ignore[reportUnnecessaryIsInstance] # users err
        raise SnapshotUnsupported(
            f"{env} is no gymnasium.Env; a game of several players in AEC form has a snapshot() of "
            "its own: env.unwrapped.snapshot(), and restore(data) (of the parallel form, aec_env's)"
        )
    base = env.unwrapped
    spec = base.spec
    kwargs = getattr(base, "kwargs", {} if spec is None else spec.kwargs)
    try:
        kwargs = json.loads(json.dumps(kwargs))
    except (TypeError, ValueError) as error:
        raise SnapshotUnsupported(f"the kwargs {kwargs} of {env} are no JSON: {error}") from error
    return {
        "id": None if spec is None else spec.id,
        "kwargs": kwargs,
        "stack": [_described(layer) for layer in _layers(env)],
    }


def _described(layer: AnyEnv) -> str:
    """Return a layer's class and, of a wrapper that records them, its arguments."""
    name = f"{type(layer).__module__}.{type(layer).__qualname__}"
    saved: dict[str, Any] = vars(layer).get("_saved_kwargs", {})  # what env.spec is made of
    shown = ", ".join(f"{key}={_shown(value)}" for key, value in saved.items())
    return f"{name}({shown})" if shown else name


def _shown(value: Any) -> str:
    """Return ``value`` as JSON; a dataclass as its fields, anything else as its type's name.

    A function, say, has no name that lasts.
    """
    try:
        return json.dumps(value, default=_named)
    except (TypeError, ValueError):
        return f"<{type(value).__qualname__}>"


def _named(value: Any) -> Any:
    """Return what stands for a value that is no JSON."""
    name = type(value).__qualname__
    if not is_dataclass(value) or isinstance(value, type):
        return f"<{name}>"
    return {name: {field.name: getattr(value, field.name) for field in fields(value)}}


def _attributes(layer: AnyEnv) -> tuple[str, ...] | None:
    """Return the attributes that hold a stock wrapper's state, or None for our own protocol."""
    if type(layer) in STOCK_WRAPPERS:
        return STOCK_WRAPPERS[type(layer)]
    if layer.unwrapped is layer and layer.metadata.get("snapshot") is False:
        raise SnapshotUnsupported(f"{layer} holds live processes: it cannot be snapshot")
    if not (hasattr(type(layer), "snapshot_state") and isinstance(layer, Snapshottable)):
        # Looked up on the type: wrappers forward unknown attributes to what they wrap.
        raise SnapshotUnsupported(
            f"{type(layer).__name__} has no known state: give it snapshot_state() and "
            "restore_state(), or take it out of the stack"
        )
    return None


def _layer_state(layer: AnyEnv) -> dict[str, Any]:
    attributes = _attributes(layer)
    if attributes is None:
        return cast("Snapshottable", layer).snapshot_state()
    return {name: getattr(layer, name) for name in attributes}


def _rng_state(base: AnyEnv) -> dict[str, Any] | None:
    """Return generator and seed sequence (which ``spawn`` draws on) as JSON-able data."""
    generator = base._np_random  # pyright: ignore[reportPrivateUsage]  # np_random would seed it
    if generator is None:
        return None
    bits = generator.bit_generator
    if not isinstance(bits, np.random.PCG64):
        raise SnapshotUnsupported(
            f"the env's generator is a {type(bits).__name__}, not the PCG64 that gymnasium gives"
        )
    sequence = cast("np.random.SeedSequence", bits.seed_seq)
    entropy = sequence.entropy
    return {
        "state": bits.state,
        "entropy": list(entropy) if isinstance(entropy, tuple | list) else entropy,
        "spawn_key": list(sequence.spawn_key),
        "children": sequence.n_children_spawned,
        "seed": base._np_random_seed,  # pyright: ignore[reportPrivateUsage]
    }


def _restore_rng(base: AnyEnv, data: dict[str, Any] | None) -> None:
    if data is None:
        base._np_random = None  # pyright: ignore[reportPrivateUsage]
        return
    sequence = np.random.SeedSequence(
        data["entropy"], spawn_key=data["spawn_key"], n_children_spawned=data["children"]
    )
    bits = np.random.PCG64(sequence)  # what gymnasium gives every env
    bits.state = data["state"]
    base._np_random = np.random.Generator(bits)  # pyright: ignore[reportPrivateUsage]
    base._np_random_seed = data["seed"]  # pyright: ignore[reportPrivateUsage]


def _parse(data: bytes) -> dict[str, Any]:
    try:
        document = json.loads(data)
        version = document["version"]
    except DAMAGE as error:
        raise SnapshotMismatch(f"not a snapshot: {error!r}") from error
    if version != FORMAT_VERSION:
        raise SnapshotMismatch(f"the snapshot's version is {version!r}, not {FORMAT_VERSION}")
    missing = [key for key in KEYS if key not in document]
    if missing:
        raise SnapshotMismatch(f"not a snapshot: it has no {', '.join(missing)}")
    return document
