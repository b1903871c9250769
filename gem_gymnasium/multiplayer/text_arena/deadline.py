"""A deadline for Python code that runs in this very thread.

One thread in the process watches all calls; starting one for each call would take many times as
long as most of TextArena's steps.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from gem_gymnasium.core.errors import StepTimeout

ResultT = TypeVar("ResultT")

POLL_S = 0.05

AGAIN_S = 1.0
"""Until a call that goes on is struck again: a bare ``except`` or a finalizer may have taken it."""

# Both from the C API: raises an exception in another thread, or (None) takes one back that has not
# been raised yet. It arrives between two instructions of Python code, so a loop without an end is
# left, a single call into C (a regex) is not: what reaches one is bounded by its length.
_set_async_exception = ctypes.pythonapi.PyThreadState_SetAsyncExc


class _Overdue(BaseException):
    """No Exception, so that no ``except Exception`` in the code that runs takes it."""


class _Call:
    """A call that is watched. Its lock is its own: the exception may strike who holds it."""

    def __init__(self, seconds: float) -> None:
        self.due = time.monotonic() + seconds
        self.lock = threading.Lock()
        self.is_over = self.is_struck = False
        self._thread = ctypes.c_ulong(threading.get_ident())

    def strike(self) -> None:
        """Interrupt it, if it still runs."""
        with self.lock:
            if not self.is_over:
                self.is_struck = True
                self.due = time.monotonic() + AGAIN_S
                _set_async_exception(self._thread, ctypes.py_object(_Overdue))

    def end(self) -> None:
        """Say that it is over, and take back what has not struck yet; twice is as once."""
        with self.lock:
            self.is_over = True
        if self.is_struck:
            _set_async_exception(self._thread, None)


class _Watch:
    """All calls of the process. Changes to the dict are atomic, so they need no lock."""

    def __init__(self) -> None:
        self.calls: dict[int, _Call] = {}
        self.wake = threading.Event()
        self.keys = itertools.count()
        self.start = threading.Lock()
        self.thread: threading.Thread | None = None

    def add(self, call: _Call) -> int:
        """Watch a call; return its key."""
        if self.thread is None:
            with self.start:
                if self.thread is None:
                    thread = threading.Thread(target=self.run, daemon=True)
                    thread.start()  # raises where there can be no more of them
                    self.thread = thread
        key = next(self.keys)
        self.calls[key] = call
        if not self.wake.is_set():
            self.wake.set()
        return key

    def run(self) -> None:
        """Strike the calls that are overdue; sleep while there is none to watch."""
        while True:
            self.wake.clear()
            if not self.calls:
                self.wake.wait()
            time.sleep(POLL_S)
            now = time.monotonic()
            # One call into C, in which no other thread changes the dict.
            for key, call in self.calls.copy().items():
                if call.is_over:
                    self.calls.pop(key, None)
                elif now >= call.due:
                    call.strike()


_watch = _Watch()


def _forget() -> None:
    """Begin anew in a forked process, where the watching thread is not."""
    global _watch
    _watch = _Watch()


os.register_at_fork(after_in_child=_forget)


def call_within(seconds: float, function: Callable[[], ResultT], what: str) -> ResultT:
    """Return what a function returns, or interrupt it.

    Args:
        seconds: Deadline, wall clock; it strikes up to ``POLL_S`` later.
        function: Python code that may be left at any point; what it changes is to be dropped then.
        what: Its name in the message.

    Raises:
        StepTimeout: It took longer.
    """
    call = _Call(seconds)
    try:
        return _call_watched(call, function)
    except _Overdue:
        call.end()  # it may have struck within end()
        raise StepTimeout(f"{what} took over {seconds:g} s") from None


def _call_watched(call: _Call, function: Callable[[], ResultT]) -> ResultT:
    watch = _watch
    key = watch.add(call)
    try:
        return function()
    finally:
        call.end()
        watch.calls.pop(key, None)  # if struck before this, the watch drops what is over
