"""Ahead: slow values made in the background before they are asked for, with a deadline."""

from __future__ import annotations

import itertools
import os
import queue
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

from gem_gymnasium.core.errors import StepTimeout

ValueT = TypeVar("ValueT")

MAX_STUCK = 4
"""Threads that may be left behind with a value that takes too long."""

_URGENT, _LATER = 0, 1


class Ahead(Generic[ValueT]):
    """Computes values by index in one background thread, and keeps the last of them.

    A thread cannot be killed: one whose value is not there by the deadline is left behind and
    replaced, at most ``MAX_STUCK`` times. A fork begins anew: threads do not survive one.

    Args:
        compute: From an index to its value; called by one thread at a time, unless one is stuck.
        deadline_s: How long ``get`` waits.
        keep: Values that are kept.
    """

    def __init__(self, compute: Callable[[int], ValueT], *, deadline_s: float, keep: int) -> None:
        self._compute, self._deadline_s, self._keep = compute, deadline_s, keep
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._futures: OrderedDict[int, Future[ValueT]] = OrderedDict()
        self._jobs: queue.PriorityQueue[tuple[int, int, int, Future[ValueT]]]
        self._jobs = queue.PriorityQueue()
        self._count = itertools.count()
        self._worker: threading.Thread | None = None
        self._stuck = 0

    def prepare(self, indices: Sequence[int]) -> None:
        """Have the values of these indices made; returns at once."""
        for index in indices:
            self._ask(index, _LATER)

    def get(self, index: int) -> ValueT:
        """Return a value, made now if need be.

        Raises:
            StepTimeout: It was not there by the deadline.
        """
        future = self._ask(index, _URGENT)
        try:
            return future.result(self._deadline_s)
        except TimeoutError:
            if future.done():  # compute itself raised it
                raise
            self._replace(index)
            raise StepTimeout(
                f"item {index} was not generated in deadline_s={self._deadline_s:g}"
            ) from None

    def _ask(self, index: int, urgency: int) -> Future[ValueT]:
        if self._pid != os.getpid():
            self._begin()
        with self._lock:
            future = self._futures.get(index)
            if future is None:
                future = self._futures[index] = Future()
                if len(self._futures) > self._keep:
                    self._futures.popitem(last=False)
            elif future.done() or urgency == _LATER:
                return future
            # Perhaps for the second time, since it is urgent now: the first to come is done.
            self._jobs.put((urgency, next(self._count), index, future))
            if self._worker is None or not self._worker.is_alive():
                self._start()
        return future

    def _start(self) -> None:
        self._worker = threading.Thread(target=self._work, name="gem-ahead", daemon=True)
        self._worker.start()

    def _replace(self, index: int) -> None:
        """Leave the thread that is stuck behind."""
        with self._lock:
            self._futures.pop(index, None)
            if self._stuck < MAX_STUCK:
                self._stuck += 1
                self._start()

    def _work(self) -> None:
        """Make one value after another until another thread has taken over."""
        while self._worker is threading.current_thread():
            _, _, index, future = self._jobs.get()
            if future.running() or future.done():
                continue
            future.set_running_or_notify_cancel()
            try:
                future.set_result(self._compute(index))
            except BaseException as error:
                future.set_exception(error)  # for whoever asks
        with self._lock:
            self._stuck -= 1
