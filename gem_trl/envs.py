"""The environments a rollout plays in: what the user gave as ``env``, as one small interface."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, cast

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from gem_gymnasium import errors
from gem_gymnasium.vector import ThreadVectorEnv
from gem_gymnasium.wrappers import History, ToolUse
from gem_trl import games, mixture

logger = logging.getLogger(__name__)

AnyEnv = gym.Env[Any, Any]
EnvFn = Callable[[], Any]
EnvSource = str | Sequence[str] | Sequence[tuple[str, float]] | EnvFn | VectorEnv[Any, Any, Any]
"""An id, a list of ids or of (id, weight), a callable that builds an env, or a vector env.

An env is one of gymnasium's, or a game of PettingZoo's in AEC form, all of whose seats are played.
"""

Info = Mapping[str, Any]


class Start(NamedTuple):
    """The first observation of an episode, and the seat that reads it."""

    observation: str
    info: Info
    seat: int = 0


class Step(NamedTuple):
    """What one reply led to; the real last observation where the episode ended.

    In a game of several players: the seat that reads it, and each seat's reward and whether it has
    won.
    """

    observation: str
    reward: float
    terminated: bool
    truncated: bool
    info: Info
    seat: int = 0
    rewards: tuple[float, ...] = ()
    wins: tuple[bool, ...] = ()


class Envs(Protocol):
    """A batch of envs, each playing one seeded episode at a time."""

    num_envs: int
    kinds: tuple[int, ...]
    """The kind of each env, from 0: its place in a list of ids."""
    weights: tuple[float, ...]
    """The share of the episodes that each kind is to play, in any unit."""
    seats: tuple[int, ...]
    """How many seats of each kind the policy can play: 1, or all of a game of several players."""
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
        """Close every env that the user did not bring."""
        ...


class ThreadedEnvs:
    """Envs in a ThreadVectorEnv (autoreset disabled); each starts its next episode when it likes.

    An env that hangs or raises gives an invalid step and is replaced; the rest go on.
    """

    restarts_singly = True

    def __init__(
        self,
        vector: ThreadVectorEnv,
        kinds: Sequence[int],
        weights: Sequence[float],
        *,
        owned: bool,
        ids: Sequence[str] = (),
    ) -> None:
        self._vector, self._owned = vector, owned
        self.num_envs = vector.num_envs
        self.kinds, self.weights = tuple(kinds), tuple(weights)
        built = list(zip(kinds, vector.envs, strict=True))
        self._ids = [games.name_of(env, ids[kind] if ids else "") for kind, env in built]
        seats = {kind: games.seats_of(env) for kind, env in built}
        self.seats = tuple(seats[kind] for kind in sorted(seats))

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
        starts: dict[int, Start] = {}
        for i in seeds:
            info = info_of(infos, i)
            starts[i] = Start(observations[i], info, self._seat(i, info))
        return starts

    def _seat(self, index: int, info: Info) -> int:
        return int(info.get("seat", 0)) if self.seats[self.kinds[index]] > 1 else 0

    def step(self, replies: Mapping[int, str]) -> dict[int, Step]:
        """Step the envs that ``replies`` names, all at the same time."""
        if not replies:
            return {}
        self._vector.send(list(replies.values()), np.array(list(replies)))
        batch = self._vector.recv(len(replies))
        observations, rewards, terminations, truncations, infos = batch
        steps: dict[int, Step] = {}
        for place, index in enumerate(infos["env_id"]):
            info = info_of(infos, place)
            step = Step(
                observations[place],
                float(rewards[place]),
                bool(terminations[place]),
                bool(truncations[place]),
                info,
            )
            seats = self.seats[self.kinds[index]]
            if seats > 1:
                # The info of an invalid step is, but for that, the one before.
                none = () if info.get("valid", True) else (0,) * seats
                step = step._replace(
                    seat=self._seat(index, info),
                    rewards=tuple(map(float, none or info["rewards"])),
                    wins=tuple(map(bool, none or info["wins"])),
                )
            steps[int(index)] = step
        return steps

    def close(self) -> None:
        """Close every env, unless the user brought them."""
        if self._owned:
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
        self.kinds: tuple[int, ...] = (0,) * self.num_envs
        self.weights: tuple[float, ...] = (1.0,)
        self.seats: tuple[int, ...] = (1,)
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
        """Leave the user's envs open."""


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


def check_source(source: EnvSource, num_envs: int) -> None:
    """Refuse ids and lists that ``open_envs`` would refuse, without building an env.

    Raises:
        ConfigError: A list does not fit.
        gymnasium.error.Error: An id is not registered.
    """
    if isinstance(source, VectorEnv) or callable(source):
        return
    ids, weights = mixture.parse([source] if isinstance(source, str) else source)
    mixture.apportion(num_envs, weights)
    for id in ids:
        if ":" not in id and not games.is_game(id):  # else its module is not imported yet
            gym.spec(id)


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
            or an option of a wrapper is refused; tools are asked for in a vector env.
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
    elif isinstance(source, gym.Env):
        raise errors.ConfigError(
            f"env is one made env, {source}; give its id, or a callable that builds a new one"
        )
    elif not callable(source):
        ids, weights = mixture.parse(source)
    builders: list[EnvFn] = [_maker(id) for id in ids] or [cast("EnvFn", source)]
    shares = mixture.apportion(num_envs, weights)
    kinds = [kind for kind, share in enumerate(shares) for _ in range(share)]

    def remembering(env: AnyEnv) -> AnyEnv:
        return with_history(env, history, history_kwargs)

    def build(kind: int) -> EnvFn:
        def made() -> AnyEnv:
            env = builders[kind]()
            if games.is_for_several(env):
                if tools:
                    raise errors.ConfigError(f"tools cannot be added to {env}, a game of several")
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
    first = next(iter(getattr(vector, "envs", ())), None)
    threaded = (
        isinstance(vector, ThreadVectorEnv)
        and vector.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    )
    if first is not None and games.seats_of(first) > 1:
        if not threaded:
            raise errors.ConfigError(
                "a vector env of whole games must be a ThreadVectorEnv with autoreset disabled: "
                "give a callable that builds the game, or its id"
            )
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


def _maker(id: str) -> EnvFn:
    return lambda: games.make(id) if games.is_game(id) else gym.make(id)
