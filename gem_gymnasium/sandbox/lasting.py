"""Start a session from a thread that lasts: bubblewrap dies with the thread that started it."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

AnswerT = TypeVar("AnswerT")


class _Thread:
    """One thread a process, begun when it is first wanted."""

    def __init__(self) -> None:
        self.forget()
        os.register_at_fork(after_in_child=self.forget)  # threads stay with the parent

    def forget(self) -> None:
        self.executor = ThreadPoolExecutor(1, thread_name_prefix="gem-sessions")


_thread = _Thread()


def call(function: Callable[[], AnswerT]) -> AnswerT:
    """Call a function in the thread that lasts; return, or raise, what it does."""
    return _thread.executor.submit(function).result()
