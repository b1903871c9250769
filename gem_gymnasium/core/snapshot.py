"""Save, restore and branch a live episode: the whole wrapper stack, as versioned JSON.

An env or wrapper takes part by two methods, ``snapshot_state() -> dict`` (JSON-able) and
``restore_state(dict)``; the stock gymnasium wrappers listed below are known by the attributes that
make up their state. Anything else raises, since leaving a counter out would be a silent fault.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import gymnasium as gym
import numpy as np
from gymnasium import wrappers

from gem_gymnasium.core.errors import ConfigError, SnapshotMismatch, SnapshotUnsupported

FORMAT_VERSION = 1

STOCK_WRAPPERS: dict[type[Any], tuple[str, ...]] = {
    wrappers.PassiveEnvChecker: (),
    wrappers.OrderEnforcing: ("_has_reset",),
    wrappers.TimeLimit: ("_elapsed_steps",),
    wrappers.Autoreset: ("autoreset",),
    # Its clock starts anew, and its queues of past episodes are left as they are.
    wrappers.RecordEpisodeStatistics: ("episode_count", "episode_returns", "episode_lengths"),
    wrappers.TransformAction: (),
    wrappers.TransformObservation: (),
    wrappers.TransformReward: (),
    wrappers.ClipReward: (),
}
"""Stock wrappers that a snapshot reaches through (these very types), and their state."""

CHECKS_DONE = {"checked_step": True, "checked_data_reuse": True}
"""What a PassiveEnvChecker is set to on restore: its check of the first steps compares them with
the reset before, which a restored env never saw."""

AnyEnv = gym.Env[Any, Any]
EnvT = TypeVar("EnvT", bound=AnyEnv)


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
        SnapshotUnsupported: The env says ``metadata["snapshot"] = False``, or it or one of its
            wrappers has no known state.
    """
    base = env.unwrapped
    document = {
        "version": FORMAT_VERSION,
        **_identity(env),
        "rng": _rng_state(base),
        "layers": [_layer_state(layer) for layer in _layers(env)],
    }
    return json.dumps(document, allow_nan=False, sort_keys=True).encode("ascii")


def restore(env: AnyEnv, data: bytes) -> None:
    """Put ``env`` into the state that :func:`snapshot` saved.

    The same actions then give the same continuation, byte for byte.

    Args:
        env: An env of the same id, kwargs and wrapper stack.
        data: What ``snapshot`` returned.

    Raises:
        SnapshotMismatch: ``data`` is of another id, kwargs, stack or format version, or no
            snapshot at all.
        SnapshotUnsupported: As for ``snapshot``.
    """
    document = _parse(data)
    for key, here in _identity(env).items():
        if document[key] != here:
            raise SnapshotMismatch(f"the snapshot's {key} is {document[key]!r}, the env's {here!r}")
    for layer, state in zip(_layers(env), document["layers"], strict=True):
        attributes = _attributes(layer)
        if attributes is None:
            cast("Snapshottable", layer).restore_state(state)
        else:
            checks = CHECKS_DONE if isinstance(layer, wrappers.PassiveEnvChecker) else {}
            for name, value in {**{name: state[name] for name in attributes}, **checks}.items():
                setattr(layer, name, value)
    _restore_rng(env.unwrapped, document["rng"])


def branch(env: EnvT, n: int) -> list[EnvT]:
    """Return ``n`` independent copies of ``env`` in its present state.

    The first continues on a copy of the env's generator, the others on generators spawned from
    it. ``env`` itself is left untouched, so two calls give the same copies.

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
    generator = copies[0].unwrapped.np_random
    spawned = copy.deepcopy(generator).spawn(n - 1)
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
    base = env.unwrapped
    spec = base.spec
    kwargs = getattr(base, "kwargs", {} if spec is None else spec.kwargs)
    names = [f"{type(layer).__module__}.{type(layer).__qualname__}" for layer in _layers(env)]
    return {
        "id": None if spec is None else spec.id,
        "kwargs": json.loads(json.dumps(kwargs)),
        "stack": names,
    }


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
    except (ValueError, KeyError, TypeError) as error:
        raise SnapshotMismatch(f"not a snapshot: {error}") from error
    if version != FORMAT_VERSION:
        raise SnapshotMismatch(f"the snapshot's version is {version!r}, not {FORMAT_VERSION}")
    return document
