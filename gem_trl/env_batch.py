"""A batch of envs as a rollout sees it: seeded episodes start and step, whatever lies beneath."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, cast

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from gem_gymnasium import errors
from gem_gymnasium.multiplayer import AllSeats
from gem_gymnasium.vector import ThreadVectorEnv
from gem_trl import games

Info = Mapping[str, Any]

NOT_THREADED = (
    "a vector env of whole games must be a ThreadVectorEnv with autoreset disabled: give a "
    "callable that builds the game, or its id"
)
"""Why a vector env is refused."""


class Start(NamedTuple):
    """The first observation of an episode, and the seat that reads it."""

    observation: str
    info: Info
    seat: int = 0


class Step(NamedTuple):
    """What one reply led to; the real last observation where the episode ended.

    ``rewards`` and ``wins`` have a place for each seat of a game of several players; ``seat`` reads
    the observation.
    """

    observation: str
    rewards: tuple[float, ...]
    terminated: bool
    truncated: bool
    info: Info
    wins: tuple[bool, ...]
    seat: int = 0


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

    def games(self) -> dict[str, AllSeats]:
        """Return one env of each game of several players, by its id: to copy, not to play in."""
        ...

    def close(self) -> None:
        """Close every env that the user did not bring."""
        ...


class ThreadedEnvs:
    """Envs in a ThreadVectorEnv (autoreset disabled); each starts its next episode when it likes.

    An env that hangs or raises gives an invalid step and is replaced; the rest go on.

    Raises:
        ConfigError: The envs of one kind have different numbers of seats.
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
        for index, (kind, env) in enumerate(built):
            if games.seats_of(env) != seats[kind]:
                raise errors.ConfigError(
                    f"envs that share an id, a callable or a vector env must have as many seats "
                    f"each, got {games.seats_of(env)} in env {index} and {seats[kind]} in another"
                )
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
            seats = self.seats[self.kinds[int(index)]]
            paid: tuple[Any, ...] = (rewards[place],)
            won: tuple[Any, ...] = (info.get("success", False),)
            if seats > 1:
                # The info of an invalid step is, but for that, the one before.
                nothing = () if info.get("valid", True) else (0,) * seats
                paid, won = nothing or info["rewards"], nothing or info["wins"]
            steps[int(index)] = Step(
                observations[place],
                tuple(map(float, paid)),
                bool(terminations[place]),
                bool(truncations[place]),
                info,
                tuple(map(bool, won)),
                self._seat(index, info),
            )
        return steps

    def games(self) -> dict[str, AllSeats]:
        """Return one env of each game of several players, by its id: to copy, not to play in."""
        bases: dict[str, Any] = {
            id: env.unwrapped for id, env in zip(self._ids, self._vector.envs, strict=True)
        }
        return {id: base for id, base in bases.items() if isinstance(base, AllSeats)}

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
        ConfigError: ``metadata["autoreset_mode"]`` says nothing, or the observations are no texts;
            at the first start: the envs are whole games.
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
        if {"seat", "rewards", "wins"} <= infos.keys():  # envs in other processes show it only here
            raise errors.ConfigError(NOT_THREADED)
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
                observation,
                (float(rewards[i]),),
                bool(terminations[i]),
                bool(truncations[i]),
                info,
                (bool(info.get("success", False)),),
            )
        return steps

    def games(self) -> dict[str, AllSeats]:
        """Return none: such a vector env plays no game of several players."""
        return {}

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
