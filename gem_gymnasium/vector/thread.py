"""ThreadVectorEnv: envs that wait (tools, graders, services) step together, under a deadline."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from gymnasium.error import ClosedEnvironmentError
from gymnasium.spaces import Space
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.vector.driver import EnvDriver, build
from gem_gymnasium.vector.slots import AnyEnv, EnvFn, Info, Result, Slot
from gem_gymnasium.vector.workers import WorkerPool

STEP_TIMEOUT_S = 600.0
"""Seconds that an env may take for a step or a reset unless the caller says otherwise."""

CLOSE_TIMEOUT_S = 30.0
"""Seconds that the envs may take to close."""

MAX_ABANDONED = 64
"""Threads that may hang in envs at once unless the caller says otherwise."""

Batch = tuple[
    Any, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]
]


class ThreadVectorEnv(SyncVectorEnv[Any, Any]):
    """A vector env whose envs step and reset at the same time, each in a thread.

    For envs that wait for something (a tool, a grader, a service); for cheap pure-Python steps
    ``SyncVectorEnv`` is faster. Episodes equal those of ``SyncVectorEnv`` byte for byte.

    **Deadlines.** An env that does not answer within ``step_timeout_s``, or raises, yields an
    *invalid step*: reward 0.0, terminated False, truncated True, the last good observation, and
    the last good info with ``valid`` False, ``error`` and ``stop`` (``"timeout"`` or ``"crash"``).
    Its next reset (by autoreset or by the caller) builds a fresh env from its ``env_fn``, seeded
    by the caller or else from the slot's last seed, its index and the number of replacements. The
    others are not held up past the deadline. A *reset* that fails yields the last good observation
    (an empty one if there is none) with such an info, and the next step of that env is an invalid
    step. What the caller did wrong (``ConfigError``, ``MissingDependency``, a step outside an
    episode) is raised, once all envs have answered.

    **Threads.** Two threads never drive one env at once, but from call to call the thread changes:
    envs with resources bound to one thread (Playwright's sync API) belong in ``AsyncVectorEnv``.
    A thread cannot be killed: one that hangs is abandoned with its env, which is never touched
    again. ``abandoned_threads`` counts those still hanging; the interpreter can exit with them.
    Code that hangs without releasing the interpreter lock stops everything.

    **Whichever is ready.** ``send`` starts steps and ``recv`` returns those that are finished.

    Args:
        env_fns: What builds each env, and each env that replaces it.
        copy: Whether ``reset`` and ``step`` return copies of the observations.
        observation_mode: As in ``SyncVectorEnv``.
        autoreset_mode: As in ``SyncVectorEnv``.
        step_timeout_s: Seconds that one env may take for one step, reset, construction or call.
            There is always a deadline: None is refused.
        max_abandoned: Threads that may hang at once.

    Raises:
        ConfigError: A value is refused.
        StepTimeout: An env was not built within ``step_timeout_s``.
        MachineryError: (by any later call) More than ``max_abandoned`` threads hang.
    """

    def __init__(
        self,
        env_fns: Sequence[EnvFn],
        copy: bool = True,
        observation_mode: str | tuple[Space[Any], Space[Any]] = "same",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        *,
        step_timeout_s: float = STEP_TIMEOUT_S,
        max_abandoned: int = MAX_ABANDONED,
    ) -> None:
        _check_arguments(env_fns, step_timeout_s, max_abandoned)
        pool = WorkerPool(len(env_fns), type(self).__name__)
        weakref.finalize(self, pool.close)  # for a vector env that nobody closes
        envs = [build(pool, env_fn, step_timeout_s) for env_fn in env_fns]
        built = [partial(_itself, env) for env in envs]
        super().__init__(built, copy, observation_mode, autoreset_mode)  # pyright: ignore[reportUnknownMemberType]  # its Space has no type argument
        self.env_fns = tuple(env_fns)
        space = cast("Space[Any]", self.single_observation_space)  # pyright: ignore[reportUnknownMemberType]
        empty = next(iter(iterate(batch_space(space, 1), create_empty_array(space, 1))))
        slots = [Slot(fn, env, empty) for fn, env in zip(env_fns, envs, strict=True)]
        self._space = space
        self._driver = EnvDriver(
            pool, slots, self.autoreset_mode, float(step_timeout_s), max_abandoned
        )

    @property
    def step_timeout_s(self) -> float:
        """Seconds that one env may take for one call."""
        return self._driver.step_timeout_s

    @property
    def abandoned_threads(self) -> int:
        """How many threads hang in envs that were given up."""
        return self._driver.pool.abandoned

    @property
    def replacements(self) -> npt.NDArray[np.int64]:
        """How often each env was given up, shape (num_envs,)."""
        return np.array([slot.replaced for slot in self._driver.slots], np.int64)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Reset all envs, or those of ``options["reset_mask"]``, at the same time.

        Args:
            seed: One seed (env i gets ``seed + i``), or one for each env.
            options: Passed on to each env without ``reset_mask``. The dict is left as it is.

        Returns:
            The batch of observations (of an env left out, its last one), and the infos.
        """
        self._check_open()
        seeds = self._seeds(seed)
        indices = [int(i) for i in np.flatnonzero(self._mask(options))]
        if options is not None:
            options = {key: value for key, value in options.items() if key != "reset_mask"}
        self._driver.start_resets(indices, seeds, options)
        results = self._driver.collect(indices)
        infos: dict[str, Any] = {}
        for i in indices:
            self._keep(i, results[i])
            infos = self._add_info(infos, results[i].info, i)
        return self._batch_observations(), infos

    def step(self, actions: Any) -> Batch:
        """Step all envs at the same time.

        Raises:
            StepOutsideEpisode: A finished env was not reset (autoreset mode DISABLED).
        """
        indices = range(self.num_envs)
        self.send(iterate(cast("Any", self.action_space), actions), indices)  # pyright: ignore[reportUnknownMemberType]
        results = self._driver.collect(indices)
        infos: dict[str, Any] = {}
        for i in indices:
            self._keep(i, results[i])
            for info in _infos(results[i]):
                infos = self._add_info(infos, info, i)
        return (
            self._batch_observations(),
            np.copy(self._rewards),
            np.copy(self._terminations),
            np.copy(self._truncations),
            infos,
        )

    def send(self, actions: Iterable[Any], env_ids: Iterable[int]) -> None:
        """Start one step of some envs, without waiting; ``recv`` returns them.

        Args:
            actions: One action for each of ``env_ids``. As in ``step``, that of an env which is
                to be reset (autoreset mode NEXT_STEP) is ignored.
            env_ids: Indices of envs that were reset and have no step under way.

        Raises:
            ConfigError: An index is wrong, or the env's last step was not received yet.
            StepOutsideEpisode: The env's episode is over (autoreset mode DISABLED).
        """
        self._check_open()
        actions, indices = list(actions), [int(i) for i in env_ids]
        if len(actions) != len(indices) or len(set(indices)) < len(indices):
            raise ConfigError(
                f"need one action for each env, got {len(actions)} for envs {indices}"
            )
        self._driver.start_steps(indices, actions)

    def recv(self, min_batch: int = 1) -> Batch:
        """Wait until ``min_batch`` of the steps sent are finished, and return all that are.

        Returns:
            What ``step`` returns, for the k >= ``min_batch`` envs whose indices stand in
            ``infos["env_id"]``, in ascending order. The wait ends by ``step_timeout_s``, as an env
            that does not answer counts as finished, with an invalid step.

        Raises:
            ConfigError: Fewer than ``min_batch`` steps are under way.
        """
        self._check_open()
        if not 1 <= min_batch <= self._driver.under_way:
            raise ConfigError(
                f"min_batch must be at least 1 and at most the steps sent and not yet received "
                f"({self._driver.under_way}), got {min_batch}"
            )
        results = self._driver.collect_any(min_batch)
        packer = _Packer(len(results))
        for row, (i, result) in enumerate(results.items()):
            self._keep(i, result)
            for info in (*_infos(result), {"env_id": i}):
                packer.add(info, row)
        observations = [result.observation for result in results.values()]
        empty = cast("Any", create_empty_array(self._space, len(results)))
        ids = list(results)
        return (
            concatenate(self._space, observations, empty),
            self._rewards[ids],
            self._terminations[ids],
            self._truncations[ids],
            packer.infos,
        )

    def render(self) -> tuple[Any, ...]:
        """Return the frame of each env."""
        self._check_open()
        return self._driver.call([_render] * self.num_envs)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each env, or read an attribute; see ``SyncVectorEnv.call``."""
        self._check_open()
        return self._driver.call([partial(_call, name, args, kwargs)] * self.num_envs)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of each env; an env that replaces another does not get it."""
        self._check_open()
        if not isinstance(values, (list, tuple)):
            values = [values] * self.num_envs
        values = cast("Sequence[Any]", values)
        if len(values) != self.num_envs:
            raise ConfigError(f"got {len(values)} values for {self.num_envs} envs")
        self._driver.call([partial(_set, name, value) for value in values])

    def close_extras(self, timeout_s: float = CLOSE_TIMEOUT_S, **kwargs: Any) -> None:
        """Close the envs at the same time; one that still steps or hangs is left alone.

        Args:
            timeout_s: Seconds that steps under way get to end, and then the envs to close.
            **kwargs: Ignored, as by ``SyncVectorEnv``.
        """
        self.closed = True  # also if an env's close() raises: there is no second try
        if hasattr(self, "_driver"):
            self._driver.close(timeout_s)

    # -- batches ------------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the vector env is closed")

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ConfigError(f"need one seed or {self.num_envs} seeds, got {len(seed)}")
        return list(seed)

    def _mask(self, options: dict[str, Any] | None) -> npt.NDArray[np.bool_]:
        if options is None or "reset_mask" not in options:
            return np.ones(self.num_envs, np.bool_)
        mask = options["reset_mask"]
        array = np.asarray(mask)
        if array is not mask or array.shape != (self.num_envs,) or array.dtype != np.bool_:
            raise ConfigError(
                f"options['reset_mask'] must be {self.num_envs} numpy bools, got {mask!r}"
            )
        if not array.any():
            raise ConfigError("options['reset_mask'] is True for no env")
        return array

    def _keep(self, i: int, result: Result) -> None:
        """Take an env's result into the arrays that SyncVectorEnv keeps."""
        self._env_obs[i], self._rewards[i] = result.observation, result.reward
        self._terminations[i], self._truncations[i] = result.terminated, result.truncated
        self._autoreset_envs[i] = result.done
        self.envs[i] = self._driver.slots[i].env

    def _batch_observations(self) -> Any:
        items = cast("Any", self._env_obs)
        self._observations = concatenate(self._space, items, self._observations)
        return deepcopy(self._observations) if self.copy else self._observations


class _Packer(VectorEnv[Any, Any, Any]):
    """Packs the infos of any number of envs in gymnasium's own way."""

    def __init__(self, num_envs: int) -> None:
        self.num_envs = num_envs
        self.infos: dict[str, Any] = {}

    def add(self, info: Info, row: int) -> None:
        """Add the info of one env."""
        self.infos = self._add_info(self.infos, info, row)


def _infos(result: Result) -> tuple[Info, ...]:
    """Return what goes into the batch's infos, in order: the old episode's end, then the rest."""
    if result.final is None:
        return (result.info,)
    observation, info = result.final
    return {"final_obs": observation, "final_info": info}, result.info


def _check_arguments(env_fns: Sequence[EnvFn], step_timeout_s: Any, max_abandoned: int) -> None:
    # NaN fails every comparison, so that it is refused too.
    if not isinstance(step_timeout_s, (int, float)) or not 0 < step_timeout_s < float("inf"):
        raise ConfigError(f"step_timeout_s must be a positive number, got {step_timeout_s!r}")
    if max_abandoned < 0:
        raise ConfigError(f"max_abandoned must be at least 0, got {max_abandoned}")
    if not env_fns:
        raise ConfigError("a vector env needs at least one env, got no env_fns")


def _itself(env: AnyEnv) -> AnyEnv:
    return env


def _render(env: AnyEnv) -> Any:
    return env.render()


def _call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], env: AnyEnv) -> Any:
    attribute = env.get_wrapper_attr(name)
    return attribute(*args, **kwargs) if callable(attribute) else attribute


def _set(name: str, value: Any, env: AnyEnv) -> None:
    env.set_wrapper_attr(name, value)
