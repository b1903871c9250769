"""Workers that graders share: confined, killable, with a real deadline for each answer.

What an answer may hang or blow up (a computer algebra system, reasoning-gym's scorers) never runs
in the caller's process. It runs in a few interpreters of the sandbox, which are warm, have no
network, write nowhere but in an empty folder of their own, and are replaced when they are killed.
All envs of a process share them, its threads and event loops too; no signal handler is installed.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import json
import math
import os
import threading
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, ParamSpec

from gem_gymnasium.core.errors import ConfigError, SandboxUnavailable
from gem_gymnasium.graders.grade import Grade
from gem_gymnasium.graders.values import inside
from gem_gymnasium.sandbox import Policy, PythonSession, Result, run
from gem_gymnasium.sandbox.libraries import STANDARD, Library

P = ParamSpec("P")

LEVELS = ("zygote", "bwrap")
"""The isolation that workers run in, the first choice first."""

START_S = 120.0
"""How long a worker may take to import what it needs (level zygote: some milliseconds)."""

WAIT_S = 600.0
"""How long an answer waits for a worker."""

RENEW_AFTER = 1_000
"""Answers after which a worker is replaced, since the caches of what it runs only grow."""

DETAIL_CHARS = 200


class Work(NamedTuple):
    """What the workers of a pool do.

    Args:
        files: Files of this folder (or paths), the last of which defines
            ``judge(request) -> (score, detail)``. They run in the sandbox, without the package; see
            :func:`inside`.
        packages: The installed packages that it may import.
        warm: What it imports.
        warm_up: A call to one of their functions, made once, in the warm parent.
    """

    files: tuple[str, ...]
    packages: tuple[str, ...]
    warm: tuple[str, ...]
    warm_up: str = ""

    @property
    def source(self) -> str:
        """What a worker runs first."""
        return inside(self.files, _ANSWER)

    @property
    def library(self) -> Library:
        """What a worker can import."""
        packages = (*STANDARD.packages, *self.packages)
        return Library(packages, self.warm, f"{self.source}\n{self.warm_up}")


# A score is sent as a string, since JSON has no NaN. The last line counts.
_ANSWER = """
import json, sys
def answer(request):
    score, detail = judge(json.loads(request))
    sys.stdout.write("\\n" + json.dumps([repr(float(score)), str(detail)[:200]]) + "\\n")
"""


class Pool:
    """A few workers for the answers of all envs of a process.

    **Covered**: what the sandbox's level covers (see ``Zygote`` and ``Bwrap``); time and memory of
    one answer; a worker that dies.

    **Not covered**: a reply that makes a worker execute code of its own could change how that
    worker judges later replies. What might (see ``reasoning.py``) is judged ``alone``.

    Args:
        work: What the workers do.
        workers: How many there are; None for one a CPU, but at least two.
        memory_bytes: What one answer may take beside what is imported.
        level: The sandbox's level; None for the first of ``LEVELS`` that is there.

    Raises:
        ConfigError: There is not one worker.
        SandboxUnavailable: Nothing here isolates a worker.
    """

    def __init__(
        self,
        work: Work,
        *,
        workers: int | None = None,
        memory_bytes: int = 1 << 30,
        level: str | None = None,
    ) -> None:
        workers = max(2, os.cpu_count() or 1) if workers is None else workers
        if workers < 1:
            raise ConfigError(f"workers must be at least 1, got {workers}")
        self.work, self.workers = work, workers
        self.level = isolating_level() if level is None else level
        self._policy = Policy(memory_bytes=memory_bytes, disk_bytes=1)
        self._turns = threading.BoundedSemaphore(workers)
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._closed = False
        os.register_at_fork(after_in_child=self._forget)

    def grade(self, request: Mapping[str, Any], *, time_s: float, alone: bool = False) -> Grade:
        """Let a worker judge an answer; never raises for what the answer does.

        Args:
            request: What ``judge`` gets, as JSON.
            time_s: Seconds that it may take once a worker is free. Then the worker is killed.
            alone: Use a new worker, and end it afterwards.

        Raises:
            ConfigError: The pool is closed.
        """
        text = json.dumps(request)
        if not self._turns.acquire(timeout=WAIT_S):
            return Grade(0.0, "error", f"no worker was free within {WAIT_S:g} s")
        try:
            with self._worker(alone) as worker:
                return worker.grade(text, time_s)
        finally:
            self._turns.release()

    @contextlib.contextmanager
    def _worker(self, alone: bool) -> Generator[_Worker]:
        """Lend a worker that is alive."""
        with self._lock:
            if self._closed:
                raise ConfigError("the pool is closed")
            worker = self._idle.pop() if self._idle and not alone else None
        if worker is not None and not worker.session.is_open:
            worker.session.close()  # it was killed while nobody used it
            worker = None
        if worker is None:
            session = PythonSession(self._policy, self.level, library=self.work.library)
            worker = _Worker(self.work, session)
        keep = False
        try:
            yield worker
            keep = not alone and worker.session.is_open and worker.graded < RENEW_AFTER
        finally:
            with self._lock:
                keep = keep and not self._closed
                if keep:
                    self._idle.append(worker)
            if not keep:
                worker.session.close()

    def _forget(self) -> None:
        """Leave the workers to the process that this one was forked from."""
        self._turns = threading.BoundedSemaphore(self.workers)
        self._lock = threading.Lock()
        self._idle = []

    def close(self) -> None:
        """End the workers; idempotent. Answers that are being judged are judged to their end."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.session.close()


class _Worker:
    """An interpreter of the sandbox that has run what its work needs."""

    def __init__(self, work: Work, session: PythonSession) -> None:
        self.session, self._work = session, work
        self.graded = 0

    def grade(self, request: str, time_s: float) -> Grade:
        """Judge one answer."""
        if not self.session.is_open:
            done = self.session.run(self._work.source, time_s=START_S)
            if done.status != "ok":
                return Grade(0.0, "error", _why(done))
        self.graded += 1
        return _grade(self.session.run(f"answer({request!r})", time_s=time_s))


def _grade(done: Result) -> Grade:
    """Return what a run of a worker says."""
    if done.status == "timeout" or (done.status == "limit" and "of memory" in done.detail):
        return Grade(0.0, "timeout", done.detail)
    if done.status != "ok":
        return Grade(0.0, "error", _why(done))
    try:
        score, detail = json.loads(done.output.rstrip("\n").rpartition("\n")[2])
        score, detail = float(score), str(detail)
    except (ValueError, TypeError):
        return Grade(0.0, "error", "the worker ended without a grade")
    if not math.isfinite(score):
        return Grade(0.0, "ok", f"{detail}; a score of {score} counts as 0")
    return Grade(min(1.0, max(0.0, score)), "ok", detail)


def _why(done: Result) -> str:
    """Return what went wrong with a worker, in one line."""
    last = done.errors.rstrip().rpartition("\n")[2]
    return f"the worker failed: {last or done.detail}"[:DETAIL_CHARS]


def isolating_level() -> str:
    """Return the first level of ``LEVELS`` that this machine reaches.

    Raises:
        SandboxUnavailable: It reaches none.
    """
    reasons: list[str] = []
    for name in LEVELS:
        if not (why := run.LEVELS[name].unavailable()):
            return name
        reasons.append(f"{name}: {why}")
    raise SandboxUnavailable(
        f"nothing on this machine isolates a grader ({'; '.join(reasons)}). "
        "Pool(level='rlimit') runs it without isolation: only for replies that you trust"
    )


async def agrade(grader: Callable[P, Grade], *args: P.args, **kwargs: P.kwargs) -> Grade:
    """Await a grader without blocking the event loop.

    ``await agrade(grade_math, reply, reference)``. It runs in a thread of the graders, so its
    deadline is kept however slow the loop is. Cancelling stops the wait; the answer is judged to
    its end.
    """
    run = functools.partial(grader, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_threads(os.getpid()), run)


@functools.cache
def _threads(process: int) -> ThreadPoolExecutor:
    """Return the graders' threads; a forked process has its own."""
    return ThreadPoolExecutor(4 * (os.cpu_count() or 1), thread_name_prefix="gem-grade")


_shared: dict[Work, Pool] = {}
_sharing = threading.Lock()


def shared_pool(work: Work) -> Pool:
    """Return the pool that all envs of this process share.

    Raises:
        SandboxUnavailable: Nothing here isolates a worker.
    """
    with _sharing:
        if work not in _shared:
            _shared[work] = Pool(work)
            atexit.register(_shared[work].close)
        return _shared[work]
