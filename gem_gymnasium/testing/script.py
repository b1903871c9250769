"""Play, record and compare episodes: what the checks of the suite are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple, cast

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import data_equivalence

from gem_gymnasium.core.errors import ConformanceError

AnyEnv = gym.Env[Any, Any]
EnvFn = Callable[..., AnyEnv]
Info = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Suite:
    """What is checked, and how hard."""

    env_fn: EnvFn
    seeds: tuple[int, ...]
    steps: int
    hostile: tuple[str, ...]
    step_limit_s: float


class Step(NamedTuple):
    """What one call returned; a reset has reward 0 and no end."""

    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: Info

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return bool(self.terminated or self.truncated)


Script = Sequence[str | None]
"""Actions in order; None is a reset without a seed."""


def broken(what: str, mend: str) -> ConformanceError:
    """Return the error for a broken promise: what is wrong, and how to mend it."""
    return ConformanceError(f"{what}\n  To mend it: {mend}")


def text_of(observation: Any) -> Any:
    """Return the text of an observation: itself, or the part ``"text"`` of a Dict."""
    if isinstance(observation, dict):
        return cast("dict[str, Any]", observation).get("text")
    return observation


def reset(env: AnyEnv, seed: int | None = None) -> Step:
    """Reset, as a ``Step``."""
    observation, info = env.reset(seed=seed)
    return Step(observation, 0.0, False, False, info)


class Actor:
    """Draws actions: legal ones if the env can name them, and now and then any text."""

    def __init__(self, env: AnyEnv, seed: int) -> None:
        self._env = env
        self._rng = np.random.default_rng(seed)
        self._space = deepcopy(env.action_space)  # the env's own space is left alone
        self._space.seed(seed)
        self._legal = getattr(env.unwrapped, "sample_legal_action", None)

    def legal(self) -> str:
        """Return a legal action, or any if the env has no ``sample_legal_action``."""
        return self._space.sample() if self._legal is None else self._legal(self._rng)

    def action(self) -> str:
        """Return a legal action seven times out of eight."""
        return self._space.sample() if self._rng.random() < 0.125 else self.legal()


def record(env: AnyEnv, seed: int, steps: int) -> tuple[Script, list[Step]]:
    """Play ``steps`` steps from ``reset(seed=seed)``, over the ends of episodes.

    Returns:
        What was done after that reset, and what each call (the first reset too) returned.
    """
    actor = Actor(env, seed)
    step = reset(env, seed)
    script: list[str | None] = []
    transcript = [step]
    for _ in range(steps):
        action = None if step.done else actor.action()
        step = do(env, action)
        script.append(action)
        transcript.append(step)
    return script, transcript


def do(env: AnyEnv, action: str | None) -> Step:
    """Do one line of a script."""
    return reset(env) if action is None else Step(*env.step(action))


def replay(env: AnyEnv, script: Script, seed: int | None = None) -> list[Step]:
    """Do a script, after ``reset(seed=seed)`` if there is a seed."""
    start = [] if seed is None else [reset(env, seed)]
    return [*start, *(do(env, action) for action in script)]


def require_same(one: Sequence[Step], other: Sequence[Step], what: str, mend: str) -> None:
    """Refuse two transcripts that differ, and say where."""
    for index, (a, b) in enumerate(zip_longest(one, other)):
        if a is None or b is None:
            raise broken(f"{what}: one transcript ends at call {index}", mend)
        for field, left, right in zip(Step._fields, a, b, strict=True):
            if not data_equivalence(left, right, exact=True):
                raise broken(
                    f"{what}: call {index} gives {field} {_short(left)} and {_short(right)}", mend
                )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:98]} ... {text[-98:]}"
