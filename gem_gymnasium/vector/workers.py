"""Daemon threads that run jobs under a deadline, and are given up when a job never returns.

A hanging Python thread cannot be killed, only left behind: its job is marked abandoned, another
thread takes its place in the pool, and should it ever come back it ends without a trace. Threads
are woken one by one, each by the one before it: when jobs are cheap, the first thread does them
all before a second one gets the interpreter lock, and no time goes into waking the others.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic

from gem_gymnasium.core.errors import MachineryError

Renew = Callable[[], bool]
"""Start a job's deadline anew; False if the job was abandoned and must touch nothing more."""


class Job:
    """One piece of work that may hang or raise."""

    __slots__ = ("abandoned", "error", "started")

    def __init__(self) -> None:
        self.started = 0.0
        self.abandoned = False
        self.error: BaseException | None = None

    def run(self, renew: Renew) -> None:
        """Do the work, in a worker thread; what it raises is kept in ``error``."""
        raise NotImplementedError


class WorkerPool:
    """``size`` daemon threads; abandoned ones come on top, and ``abandoned`` counts them."""

    def __init__(self, size: int, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()  # guards all that follows
        self._queue: deque[Job] = deque()
        self._running: set[Job] = set()
        self._finished: list[Job] = []
        self._parked: list[threading.Lock] = []  # a stack: the thread that is still warm goes first
        self._waking = False  # a thread was woken and has not looked at the queue yet
        self._awaited = 0
        self._closed = False
        self._enough = threading.Event()
        self.abandoned = 0
        for _ in range(size):
            self._start_thread()

    def submit(self, jobs: Sequence[Job]) -> None:
        """Queue jobs; each starts as soon as the interpreter lets it, none waits for another."""
        with self._lock:
            if self._closed:
                raise MachineryError("the threads of this vector env are closed")
            self._queue.extend(jobs)
            sleeper = self._next_sleeper()
        if sleeper is not None:
            sleeper.release()

    def wait(self, count: int, timeout_s: float) -> list[Job]:
        """Return the finished jobs as soon as there are ``count``, the overdue ones among them.

        Args:
            count: How many jobs to wait for.
            timeout_s: Seconds a job may run, from its start or from its last ``renew``. One that
                runs longer is abandoned and counts as finished.

        Raises:
            MachineryError: There are fewer jobs than ``count``, which would be a wait for ever.
        """
        while True:
            with self._lock:
                jobs = len(self._finished) + len(self._running) + len(self._queue)
                if jobs < count:
                    raise MachineryError(f"cannot wait for {count} jobs, there are {jobs}")
                now = monotonic()
                overdue = [job for job in self._running if now - job.started >= timeout_s]
                for job in overdue:
                    self._abandon(job)
                if len(self._finished) >= count:
                    finished, self._finished, self._awaited = self._finished, [], 0
                    break
                oldest = min((job.started for job in self._running), default=now)
                self._awaited = count
                self._enough.clear()
            for _ in overdue:
                self._start_thread()
            self._enough.wait(min(oldest + timeout_s - now, threading.TIMEOUT_MAX))
        for _ in overdue:
            self._start_thread()
        return finished

    def abandon_all(self) -> list[Job]:
        """Give up every job that is not finished; return all that were not yet returned."""
        with self._lock:
            running = list(self._running)
            for job in running:
                self._abandon(job)
            never_started = list(self._queue)
            self._queue.clear()
            returned = [*self._finished, *never_started]
            self._finished = []
        for job in never_started:
            job.abandoned = True
        for _ in running:
            self._start_thread()
        return returned

    def close(self) -> None:
        """Let the threads end, without waiting for them; a second call does nothing."""
        with self._lock:
            self._closed = True
            parked, self._parked = self._parked, []
        for lock in parked:
            lock.release()

    def _next_sleeper(self) -> threading.Lock | None:
        """Return the lock that wakes one more thread, if there is work for it; the lock is held."""
        if self._waking or not self._queue or not self._parked:
            return None
        self._waking = True
        return self._parked.pop()

    def _abandon(self, job: Job) -> None:
        """Count a running job as finished and its thread as lost; the lock is held."""
        job.abandoned = True
        self._running.discard(job)
        self._finished.append(job)
        self.abandoned += 1

    def _start_thread(self) -> None:
        try:
            threading.Thread(target=self._work, name=self._name, daemon=True).start()
        except RuntimeError as error:
            raise MachineryError(
                f"cannot start a thread ({threading.active_count()} are running): {error}"
            ) from error

    def _work(self) -> None:
        """Take jobs until the pool closes, or until a job of this thread was abandoned."""
        park = threading.Lock()
        park.acquire()
        woken = False
        while True:
            with self._lock:
                if woken:
                    self._waking = woken = False
                job = self._queue.popleft() if self._queue else None
                sleeper = None
                if job is not None:
                    job.started = monotonic()
                    self._running.add(job)
                    sleeper = self._next_sleeper()
                elif self._closed:
                    return
                else:
                    self._parked.append(park)
            if job is None:
                park.acquire()
                woken = True
                continue
            if sleeper is not None:
                sleeper.release()
            self._run(job)
            with self._lock:
                if job.abandoned:
                    self.abandoned -= 1
                    return
                self._running.discard(job)
                self._finished.append(job)
                if self._awaited and len(self._finished) >= self._awaited:
                    self._awaited = 0
                    self._enough.set()
            del job  # a parked thread must not keep an env alive

    def _run(self, job: Job) -> None:
        def renew() -> bool:
            with self._lock:
                job.started = monotonic()
                return not job.abandoned

        try:
            job.run(renew)
        except BaseException as error:  # recorded, not swallowed: the vector env judges it
            job.error = error
