"""The environments a rollout plays in: what the user gave as ``env``, as one small interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, cast

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from gem_gymnasium import errors
from gem_gymnasium.vector import ThreadVectorEnv
from gem_gymnasium.wrappers import History

AnyEnv = gym.Env[Any, Any]
EnvFn = Callable[[], AnyEnv]
EnvSource = str | Sequence[str] | EnvFn | VectorEnv[Any, Any, Any]
"""An id, a list of ids, a callable that builds an env, or a vector env."""

Info = Mapping[str, Any]


class Start(NamedTuple):
    """The first observation of an episode."""

    observation: str
    info: Info


class Step(NamedTuple):
    """What one reply led to; the real last observation where the episode ended."""

    observation: str
    reward: float
    terminated: bool
    truncated: bool
    info: Info


class Envs(Protocol):
    """A batch of envs, each playing one seeded episode at a time."""

    num_envs: int
    restarts_singly: bool
    """Whether an env can start an episode while others are in one."""

    def env_id(self, index: int) -> str:
        """Return the id of an env."""
        ...

    def start(self, seeds: Mapping[int, int]) -> dict[int, Start]:
        """Start an episode in each env that ``seeds`` names."""
        ...

    def step(self, replies: Mapping[int, str]) -> dict[int, Step]:
        """Step the envs that ``replies`` names."""
        ...

    def close(self) -> None:
        """Close every env."""
        ...


class ThreadedEnvs:
    """Envs in a ThreadVectorEnv (autoreset disabled); each starts its next episode when it likes.

    An env that hangs or raises gives an invalid step and is replaced; the rest go on.
    """

    restarts_singly = True

    def __init__(self, vector: ThreadVectorEnv) -> None:
        self._vector = vector
        self.num_envs = vector.num_envs
        self._ids = [
            env.spec.id if env.spec else type(env.unwrapped).__name__ for env in vector.envs
        ]

    def env_id(self, index: int) -> str:
        """Return the id of an env."""
        return self._ids[index]

    def start(self, seeds: Mapping[int, int]) -> dict[int, Start]:
        """Start an episode in each env that ``seeds`` names."""
        mask = np.zeros(self.num_envs, np.bool_)
        mask[list(seeds)] = True
        every = [seeds.get(index) for index in range(self.num_envs)]
        observations, infos = self._vector.reset(
            seed=cast("Any", every), options={"reset_mask": mask}
        )
        return {i: Start(observations[i], info_of(infos, i)) for i in seeds}

    def step(self, replies: Mapping[int, str]) -> dict[int, Step]:
        """Step the envs that ``replies`` names, all at the same time."""
        if not replies:
            return {}
        self._vector.send(list(replies.values()), np.array(list(replies)))
        batch = self._vector.recv(len(replies))
        observations, rewards, terminations, truncations, infos = batch
        return {
            int(index): Step(
                observations[place],
                float(rewards[place]),
                bool(terminations[place]),
                bool(truncations[place]),
                info_of(infos, place),
            )
            for place, index in enumerate(infos["env_id"])
        }

    def close(self) -> None:
        """Close every env."""
        self._vector.close()


class VectorEnvs:
    """A vector env of the user's, played in blocks: all envs start together, seeded.

    What it does of itself after an episode's end is left alone: in SAME_STEP mode the last
    observation and info are taken from ``final_obs`` and ``final_info``; in NEXT_STEP mode the
    reset step belongs to no episode; in DISABLED mode ended envs are reset before the next step.

    Raises:
        ConfigError: ``metadata["autoreset_mode"]`` says nothing, or the observations are no texts.
    """

    restarts_singly = False

    def __init__(self, vector: VectorEnv[Any, Any, Any]) -> None:
        mode = vector.metadata.get("autoreset_mode")
        if not isinstance(mode, AutoresetMode):
            raise errors.ConfigError(
                "a vector env must say in metadata['autoreset_mode'] (an AutoresetMode) what it "
                f"does after an episode's end, got {mode!r}"
            )
        space: object = cast("Any", vector).single_observation_space
        if not isinstance(space, gym.spaces.Text):
            raise errors.ConfigError(f"the vector env's observations must be texts, got {space}")
        self._vector, self._mode = vector, mode
        self.num_envs = vector.num_envs
        spec = vector.spec
        self._id = spec.id if spec else type(vector.unwrapped).__name__
        self._ended = np.zeros(self.num_envs, np.bool_)

    def env_id(self, index: int) -> str:
        """Return the id of an env (one for all)."""
        return self._id

    def start(self, seeds: Mapping[int, int]) -> dict[int, Start]:
        """Reset every env; those that ``seeds`` does not name idle."""
        every = [seeds.get(index, 0) for index in range(self.num_envs)]
        observations, infos = self._vector.reset(seed=cast("Any", every))
        self._ended[:] = False
        return {i: Start(observations[i], info_of(infos, i)) for i in seeds}

    def step(self, replies: Mapping[int, str]) -> dict[int, Step]:
        """Step every env; those that ``replies`` does not name get an empty reply."""
        if self._mode is AutoresetMode.DISABLED and self._ended.any():
            self._vector.reset(options={"reset_mask": self._ended.copy()})
        actions = tuple(replies.get(index, "") for index in range(self.num_envs))
        observations, rewards, terminations, truncations, infos = self._vector.step(actions)
        self._ended = np.logical_or(terminations, truncations)
        steps: dict[int, Step] = {}
        for i in replies:
            observation, info = observations[i], info_of(infos, i)
            if self._ended[i] and self._mode is AutoresetMode.SAME_STEP:
                observation, info = info["final_obs"], cast("Info", info["final_info"])
            steps[i] = Step(
                observation, float(rewards[i]), bool(terminations[i]), bool(truncations[i]), info
            )
        return steps

    def close(self) -> None:
        """Close every env."""
        self._vector.close()


def info_of(infos: Mapping[str, Any], index: int) -> dict[str, Any]:
    """Return one env's info out of a vector env's, numpy scalars as Python ones."""
    info: dict[str, Any] = {}
    for key, values in infos.items():
        present = infos.get(f"_{key}")
        if key.startswith("_") or (present is not None and not present[index]):
            continue
        if isinstance(values, Mapping):
            info[key] = info_of(cast("Mapping[str, Any]", values), index)
        else:
            value = values[index]
            info[key] = value.item() if isinstance(value, np.generic) else value
    return info


def open_envs(
    source: EnvSource,
    num_envs: int,
    history: str,
    history_kwargs: Mapping[str, Any],
    timeout_s: float,
) -> Envs:
    """Build the envs of a rollout.

    Args:
        source: See ``EnvSource``. A list of ids is cycled over the envs.
        num_envs: How many envs to build (a vector env brings its own).
        history: Layout of the History wrapper to add where the stack has none, or ``"none"``.
        history_kwargs: Its other options.
        timeout_s: Seconds an env may take for a step or reset before it counts as failed.

    Raises:
        ConfigError: ``source`` is none of these.
    """
    if isinstance(source, ThreadVectorEnv):
        if source.metadata["autoreset_mode"] is AutoresetMode.DISABLED:
            return ThreadedEnvs(source)
        return VectorEnvs(source)
    if isinstance(source, VectorEnv):
        return VectorEnvs(cast("VectorEnv[Any, Any, Any]", source))
    if isinstance(source, str):
        builders: list[EnvFn] = [_maker(source)]
    elif callable(source):
        builders = [source]
    else:
        builders = [_maker(id) for id in source]
    if not builders:
        raise errors.ConfigError("env is an empty list of ids")

    def build(index: int) -> EnvFn:
        return lambda: with_history(builders[index % len(builders)](), history, history_kwargs)

    vector = ThreadVectorEnv(
        [build(index) for index in range(num_envs)],
        autoreset_mode=AutoresetMode.DISABLED,
        step_timeout_s=timeout_s,
    )
    return ThreadedEnvs(vector)


def with_history(env: AnyEnv, history: str, history_kwargs: Mapping[str, Any]) -> AnyEnv:
    """Add a History wrapper unless ``history`` is ``"none"`` or the stack has one."""
    layer = env
    while isinstance(layer, gym.Wrapper):
        if isinstance(layer, History):
            return env
        layer = layer.env
    return env if history == "none" else History(env, cast("Any", history), **history_kwargs)


def _maker(id: str) -> EnvFn:
    return lambda: gym.make(id)
