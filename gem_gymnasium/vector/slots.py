"""What ThreadVectorEnv knows of each env (its slot), and the jobs its worker threads do for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from typing import Any, NamedTuple, cast

import gymnasium as gym
import numpy as np

from gem_gymnasium.core.text_env import INFO_TYPES
from gem_gymnasium.vector.workers import Job, Renew

AnyEnv = gym.Env[Any, Any]
EnvFn = Callable[[], AnyEnv]
Info = dict[str, Any]


class Failure(NamedTuple):
    """Why an env gave no answer, as ``info`` says it."""

    stop: str
    error: str


class Result(NamedTuple):
    """One env's part of a batch; ``final`` is the old episode's end in SAME_STEP mode."""

    observation: Any
    reward: float
    terminated: bool
    truncated: bool
    info: Info
    final: tuple[Any, Info] | None = None

    @property
    def done(self) -> bool:
        """Whether the step ended the episode."""
        return self.terminated or self.truncated


class Slot:
    """One place of the vector env: the env in it, and how its last calls went.

    Args:
        make: What builds the env, and each env that replaces it.
        env: The first env.
        observation: An empty observation, for an env that fails before it gives one.
    """

    def __init__(self, make: EnvFn, env: AnyEnv, observation: Any) -> None:
        self.make, self.env, self.observation = make, env, observation
        self.kind = env.spec.id if env.spec is not None else type(env.unwrapped).__qualname__
        self.extra_info = cast("Mapping[str, type]", getattr(env.unwrapped, "extra_info", {}))
        self.info: Info | None = None  # the last good one
        self.failure: Failure | None = None  # why the last episode did not begin
        self.stale = False  # the env hangs or crashed: no call may reach it
        self.discarded: AnyEnv | None = None  # a crashed env, to be closed before the next is built
        self.replaced = 0
        self.owes_seed = False  # the env is a fresh one and its generator was never seeded
        self.seed = 0
        self.done = False

    def fail(self, failure: Failure, env: AnyEnv | None, *, hangs: bool) -> None:
        """Give up the present env; the next job builds another."""
        self.failure, self.stale = failure, True
        self.discarded = None if hangs else env
        self.replaced += 1
        self.owes_seed = True

    def adopt(self, env: AnyEnv) -> None:
        """Take the env that a job worked with, perhaps a fresh one."""
        self.env, self.stale, self.discarded = env, False, None

    def record(self, observation: Any, info: Info) -> None:
        """Remember a good answer."""
        self.observation, self.info = observation, info

    def seed_for_reset(self, index: int, given: int | None) -> int | None:
        """Return the seed of the next reset.

        A fresh env that the caller does not seed gets a seed made of the slot's last seed, its
        index and the number of replacements, so that a run with a failure is repeatable too.
        """
        if given is not None:
            self.seed = given
            return given
        if not self.owes_seed:
            return None
        entropy = (self.seed, index, self.replaced)
        return int(np.random.SeedSequence(entropy).generate_state(1)[0])

    def invalid_info(self, failure: Failure, like: Info | None) -> Info:
        """Return the info of an invalid step: every key, as in the last good one.

        Args:
            failure: What went wrong.
            like: An info of another env of the same kind, for an env that has none yet.
        """
        info: Info
        if self.info is not None:
            info = deepcopy(self.info)
        else:
            kinds = {key: _kind(value) for key, value in (like or {}).items()}
            info = {k: _blank(v) for k, v in {**kinds, **INFO_TYPES, **self.extra_info}.items()}
            info.update(event="reset", legal=True, optimal_turns=-1)
        info.update(success=False, valid=False, error=failure.error, stop=failure.stop)
        return info


def _kind(value: object) -> type:
    return type(value)


def _blank(kind: type) -> Any:
    try:
        return kind()
    except TypeError:
        return None  # an array, say: nothing that is worth guessing


class SlotJob(Job):
    """A job for one slot; builds the slot's env first if it is stale."""

    __slots__ = ("discarded", "env", "index", "make", "phase", "texts")

    def __init__(self, index: int, slot: Slot) -> None:
        super().__init__()
        self.index = index
        self.env: AnyEnv | None = None if slot.stale else slot.env
        self.make, self.discarded = slot.make, slot.discarded
        self.phase = "the env's constructor"
        self.texts = isinstance(slot.observation, str)

    def run(self, renew: Renew) -> None:
        """Work on the env. Nothing but this job's own attributes is written."""
        if self.env is None:
            if self.discarded is not None:
                with suppress(Exception):  # it crashed before; what counts is the next one
                    self.discarded.close()
                if not renew():
                    return
            env = self.make()
            if not renew():
                return
            self.env = env
        self.work(self.env, renew)

    def work(self, env: AnyEnv, renew: Renew) -> None:
        """Do what the job is for."""

    def checked(self, observation: Any, info: Any) -> tuple[Any, Info]:
        """Return what an env gave; raise where packing it into a batch would raise for all."""
        if self.texts and not isinstance(observation, str):
            raise TypeError(f"the observation is no str but {type(observation).__name__}")
        if not isinstance(info, dict):
            raise TypeError(f"the info is no dict but {type(info).__name__}")
        return observation, cast("Info", info)


class ResetJob(SlotJob):
    """Begin an episode; ``before`` is the invalid step that it follows in the same batch."""

    __slots__ = ("before", "began", "options", "seed")

    def __init__(
        self,
        index: int,
        slot: Slot,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,
        before: Result | None = None,
    ) -> None:
        super().__init__(index, slot)
        self.seed = slot.seed_for_reset(index, seed)
        self.options = None if options is None else dict(options)
        self.before = before
        self.began: tuple[Any, Info] | None = None

    def work(self, env: AnyEnv, renew: Renew) -> None:
        """Reset."""
        self.phase = "reset()"
        observation, info = env.reset(seed=self.seed, options=self.options)
        self.began = self.checked(observation, info)


class StepJob(SlotJob):
    """Apply an action and, with ``autoreset``, begin the next episode if that ended one."""

    __slots__ = ("action", "autoreset", "began", "stepped")

    def __init__(self, index: int, slot: Slot, action: Any, *, autoreset: bool) -> None:
        super().__init__(index, slot)
        self.action, self.autoreset = action, autoreset
        self.stepped: Result | None = None
        self.began: tuple[Any, Info] | None = None

    def work(self, env: AnyEnv, renew: Renew) -> None:
        """Step, then reset."""
        self.phase = "step()"
        observation, reward, terminated, truncated, info = env.step(self.action)
        observation, info = self.checked(observation, info)
        self.stepped = Result(observation, float(reward), bool(terminated), bool(truncated), info)
        if self.autoreset and self.stepped.done and renew():
            self.phase = "reset()"
            observation, info = env.reset()
            self.began = self.checked(observation, info)


class CallJob(SlotJob):
    """Call a function with the env."""

    __slots__ = ("function", "value")

    def __init__(self, index: int, slot: Slot, function: Callable[[AnyEnv], Any]) -> None:
        super().__init__(index, slot)
        self.function = function
        self.value: Any = None

    def work(self, env: AnyEnv, renew: Renew) -> None:
        """Call it."""
        self.phase = "the call"
        self.value = self.function(env)


class BuildJob(Job):
    """Build an env for a new vector env."""

    __slots__ = ("env", "make")

    def __init__(self, make: EnvFn) -> None:
        super().__init__()
        self.make = make
        self.env: AnyEnv | None = None

    def run(self, renew: Renew) -> None:
        """Build it."""
        self.env = self.make()
