"""EnvDriver: steps and resets single envs in threads, and makes a failure an invalid step.

It knows episodes and autoreset modes, but nothing of batches: those are ThreadVectorEnv's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from gem_gymnasium.core.errors import (
    ConfigError,
    MachineryError,
    MissingDependency,
    StepOutsideEpisode,
    StepTimeout,
)
from gem_gymnasium.core.parsing import echo
from gem_gymnasium.vector.slots import (
    AnyEnv,
    BuildJob,
    CallJob,
    EnvFn,
    Failure,
    Info,
    ResetJob,
    Result,
    Slot,
    SlotJob,
    StepJob,
)
from gem_gymnasium.vector.workers import WorkerPool

_CALLER_MISTAKES = (ConfigError, MissingDependency, ResetNeeded)
_MAX_ERROR_CHARS = 500


class EnvDriver:
    """One thread for each env, and what came of the jobs they did.

    A caller starts steps and resets and then collects their results; until an env's result is
    collected, no other call may start for it.

    Args:
        pool: As many threads as there are envs.
        slots: The envs.
        autoreset_mode: When a finished env is reset.
        step_timeout_s: Seconds that one env may take for one call.
        max_abandoned: Threads that may hang at once.
    """

    def __init__(
        self,
        pool: WorkerPool,
        slots: Sequence[Slot],
        autoreset_mode: AutoresetMode,
        step_timeout_s: float,
        max_abandoned: int,
    ) -> None:
        self.pool, self.slots = pool, slots
        self.autoreset_mode = autoreset_mode
        self.step_timeout_s, self.max_abandoned = step_timeout_s, max_abandoned
        self._in_flight: set[int] = set()
        self._ready: dict[int, Result] = {}
        self._mistakes: dict[int, BaseException] = {}

    @property
    def under_way(self) -> int:
        """How many results can be collected, now or later."""
        return len(self._in_flight) + len(self._ready) + len(self._mistakes)

    def start_resets(
        self,
        indices: Sequence[int],
        seeds: Sequence[int | None],
        options: Mapping[str, Any] | None,
    ) -> None:
        """Start to reset some envs; ``seeds`` has one for every env."""
        self._check_idle(indices)
        self._submit([ResetJob(i, self.slots[i], seeds[i], options) for i in indices])

    def start_steps(self, indices: Sequence[int], actions: Sequence[Any]) -> None:
        """Start to step some envs (or to reset them, as the autoreset mode has it)."""
        self._check_idle(indices)
        over = [i for i in indices if self.slots[i].done]
        if over and self.autoreset_mode is AutoresetMode.DISABLED:
            raise StepOutsideEpisode(
                f"the episodes of envs {over} are over and autoreset is disabled: call "
                "reset(options={'reset_mask': ...}) before the next step"
            )
        jobs: list[SlotJob] = []
        for i, action in zip(indices, actions, strict=True):
            slot = self.slots[i]
            if slot.done and self.autoreset_mode is AutoresetMode.NEXT_STEP:
                jobs.append(ResetJob(i, slot))
            elif slot.failure is not None:  # its reset failed, so there is no episode to step in
                jobs.extend(self._end_invalid(i, slot.failure))
            else:
                autoreset = self.autoreset_mode is AutoresetMode.SAME_STEP
                jobs.append(StepJob(i, slot, action, autoreset=autoreset))
        self._submit(jobs)

    def collect(self, indices: Iterable[int]) -> dict[int, Result]:
        """Wait for the results of these envs.

        Raises:
            MachineryError: More than ``max_abandoned`` threads hang.
            ConfigError, MissingDependency, ResetNeeded: What an env said the caller did wrong.
        """
        wanted = set(indices)
        while missing := len(wanted - self._ready.keys() - self._mistakes.keys()):
            # Other envs may finish first, so only a wait for all of them can be one wait.
            self._wait(missing if wanted >= self._in_flight else 1)
        self._check_abandoned()
        taken = {i: self._ready.pop(i) for i in wanted & self._ready.keys()}
        self._raise_mistake()
        return taken

    def collect_any(self, count: int) -> dict[int, Result]:
        """Wait for the results of ``count`` envs, whichever; return all there are, by index."""
        while (missing := count - len(self._ready) - len(self._mistakes)) > 0:
            self._wait(missing)
        self._check_abandoned()
        self._raise_mistake()
        taken, self._ready = self._ready, {}
        return dict(sorted(taken.items()))

    def call(self, functions: Sequence[Callable[[AnyEnv], Any]]) -> tuple[Any, ...]:
        """Call one function with each env, at the same time; raise the first error."""
        indices = range(len(self.slots))
        self._check_idle(indices)
        jobs = [CallJob(i, self.slots[i], functions[i]) for i in indices]
        self._submit(jobs)
        while self._in_flight:
            self._wait(len(self._in_flight))
        self._mistakes.clear()
        for job in jobs:
            if job.abandoned:
                raise StepTimeout(f"env {job.index} gave no answer in {self.step_timeout_s:g} s")
            if job.error is not None:
                raise job.error
        return tuple(job.value for job in jobs)

    def close(self, timeout_s: float) -> None:
        """Close the envs at the same time; one that still steps or hangs then is left alone."""
        self._settle(self.pool.wait(len(self._in_flight), timeout_s))
        jobs: list[CallJob] = []
        for i, slot in enumerate(self.slots):
            if slot.discarded is not None:
                slot.adopt(slot.discarded)  # it crashed, but it can still be closed
            if not slot.stale:
                jobs.append(CallJob(i, slot, _close))
        self.pool.submit(jobs)
        self.pool.wait(len(jobs), timeout_s)
        self.pool.close()
        for job in jobs:
            if job.error is not None:
                raise job.error

    # -- jobs and what came of them -----------------------------------------------------------

    def _check_idle(self, indices: Sequence[int]) -> None:
        wrong = [i for i in indices if not 0 <= i < len(self.slots)]
        if wrong:
            raise ConfigError(f"env indices must be in 0..{len(self.slots) - 1}, got {wrong}")
        busy = sorted(self._in_flight.union(self._ready).intersection(indices))
        if busy:
            raise ConfigError(f"a step of envs {busy} is under way: recv() it first")

    def _check_abandoned(self) -> None:
        if self.pool.abandoned > self.max_abandoned:
            raise MachineryError(
                f"{self.pool.abandoned} threads hang in envs that gave no answer within "
                f"{self.step_timeout_s:g} s, and max_abandoned={self.max_abandoned}: find out what "
                "the env waits for, raise step_timeout_s, or use processes (mode='async')"
            )

    def _raise_mistake(self) -> None:
        if self._mistakes:
            mistakes, self._mistakes = self._mistakes, {}
            raise mistakes[min(mistakes)]

    def _submit(self, jobs: Sequence[SlotJob]) -> None:
        if jobs:
            self._in_flight.update(job.index for job in jobs)
            self.pool.submit(jobs)

    def _wait(self, count: int) -> None:
        """Wait for ``count`` jobs and settle all that are finished."""
        try:
            jobs = self.pool.wait(count, self.step_timeout_s)
        except BaseException:
            # Ctrl-C: no call may be left behind that could meet the next one in the same env.
            for job in cast("list[SlotJob]", self.pool.abandon_all()):
                failure = Failure("crash", "the call was interrupted")
                self.slots[job.index].fail(failure, job.env, hangs=job.abandoned)
            self._in_flight.clear()
            self._ready.clear()
            raise
        self._settle(jobs)

    def _settle(self, finished: Sequence[Any]) -> None:
        """Turn finished jobs into results, the good ones first: the others copy their info keys."""
        jobs = cast("Sequence[SlotJob]", finished)
        follow_ups: list[SlotJob] = []
        for job in sorted(jobs, key=lambda job: job.abandoned or job.error is not None):
            self._in_flight.discard(job.index)
            slot = self.slots[job.index]
            failure = None
            if not job.abandoned and isinstance(job.error, _CALLER_MISTAKES):
                self._mistakes[job.index] = job.error
            else:
                failure = self._failure(job)
            if failure is not None:
                slot.fail(failure, job.env, hangs=job.abandoned)
            elif slot.stale and job.env is not None:
                slot.adopt(job.env)
            if job.index in self._mistakes:
                continue
            if isinstance(job, ResetJob):
                self._settle_reset(job, failure)
            elif isinstance(job, StepJob):
                follow_ups.extend(self._settle_step(job, failure))
        self._submit(follow_ups)

    def _failure(self, job: SlotJob) -> Failure | None:
        """Return what ``info`` says of a job that did not work, or None if it worked."""
        if job.abandoned:
            return Failure("timeout", f"{job.phase} gave no answer in {self.step_timeout_s:g} s")
        if job.error is None or (isinstance(job, CallJob) and job.env is not None):
            return None  # what a called method raises is between it and its caller
        stop = "timeout" if isinstance(job.error, StepTimeout) else "crash"
        return Failure(stop, echo(f"{type(job.error).__name__}: {job.error}", _MAX_ERROR_CHARS))

    def _settle_reset(self, job: ResetJob, failure: Failure | None) -> None:
        slot = self.slots[job.index]
        observation, info = self._begin(slot, job.began, failure)
        result = Result(observation, 0.0, False, False, info)
        if job.before is not None:
            final = job.before.observation, job.before.info
            result = job.before._replace(observation=observation, info=info, final=final)
        slot.done = False
        self._ready[job.index] = result

    def _settle_step(self, job: StepJob, failure: Failure | None) -> list[ResetJob]:
        """Take a step's result; return the reset that has to follow in the same batch."""
        slot, result = self.slots[job.index], job.stepped
        if result is None or (failure is not None and not result.done):
            return self._end_invalid(job.index, cast("Failure", failure))
        slot.record(result.observation, result.info)
        slot.done = result.done
        if self.autoreset_mode is AutoresetMode.SAME_STEP and result.done:
            observation, info = self._begin(slot, job.began, failure)
            final = result.observation, result.info
            result = result._replace(observation=observation, info=info, final=final)
            slot.done = False
        self._ready[job.index] = result
        return []

    def _begin(
        self, slot: Slot, began: tuple[Any, Info] | None, failure: Failure | None
    ) -> tuple[Any, Info]:
        """Return the first observation and info of an episode, made up if its reset failed."""
        if began is None or failure is not None:
            return slot.observation, self._invalid_info(slot, cast("Failure", failure))
        slot.record(*began)
        slot.failure, slot.owes_seed = None, False
        return began

    def _end_invalid(self, index: int, failure: Failure) -> list[ResetJob]:
        """End an episode by an invalid step; return the reset that has to follow in this batch."""
        slot = self.slots[index]
        info = self._invalid_info(slot, failure)
        result = Result(slot.observation, 0.0, False, True, info)
        slot.done = True
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            return [ResetJob(index, slot, before=result)]
        self._ready[index] = result
        return []

    def _invalid_info(self, slot: Slot, failure: Failure) -> Info:
        infos = (other.info for other in self.slots if other.kind == slot.kind)
        return slot.invalid_info(failure, next((info for info in infos if info is not None), None))


def build(pool: WorkerPool, env_fn: EnvFn, timeout_s: float) -> AnyEnv:
    """Build an env in a worker thread; what its constructor raises is raised.

    Raises:
        StepTimeout: It took longer than ``timeout_s``.
    """
    job = BuildJob(env_fn)
    pool.submit([job])
    pool.wait(1, timeout_s)
    if job.abandoned:
        raise StepTimeout(f"an env was not built within step_timeout_s={timeout_s:g}")
    if job.error is not None:
        raise job.error
    return cast("AnyEnv", job.env)


def _close(env: AnyEnv) -> None:
    env.close()
