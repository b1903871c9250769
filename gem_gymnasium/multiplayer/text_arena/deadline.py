"""A deadline for Python code that runs in this very thread."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TypeVar

from gem_gymnasium.core.errors import StepTimeout

ResultT = TypeVar("ResultT")

# Both from the C API: raises an exception in another thread, or (None) takes one back that has not
# been raised yet. It arrives between two instructions of Python code, so a loop without an end is
# left, a single call into C (a regex) is not: what reaches one is bounded by its length.
_set_async_exception = ctypes.pythonapi.PyThreadState_SetAsyncExc


class _Overdue(BaseException):
    """No Exception, so that no ``except Exception`` in the code that runs takes it."""


def call_within(seconds: float, function: Callable[[], ResultT], what: str) -> ResultT:
    """Return what a function returns, or interrupt it.

    Args:
        seconds: Deadline, wall clock.
        function: Python code that may be left at any point; what it changes is to be dropped then.
        what: Its name in the message.

    Raises:
        StepTimeout: It took longer.
    """
    try:
        return _call_watched(seconds, function)
    except _Overdue:
        raise StepTimeout(f"{what} took over {seconds:g} s") from None


def _call_watched(seconds: float, function: Callable[[], ResultT]) -> ResultT:
    thread = ctypes.c_ulong(threading.get_ident())
    lock, over, fired = threading.Lock(), False, False

    def interrupt() -> None:
        nonlocal fired
        with lock:
            if not over:
                fired = True
                _set_async_exception(thread, ctypes.py_object(_Overdue))

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        return function()
    finally:
        with lock:
            over = True
        timer.cancel()
        if fired:  # and has not arrived yet, perhaps
            _set_async_exception(thread, None)
