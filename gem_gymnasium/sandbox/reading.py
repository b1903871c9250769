"""Read a run's output while it runs: bounded, with a deadline, whatever the program does."""

from __future__ import annotations

import contextlib
import os
import selectors
import time
from collections.abc import Callable, Generator
from typing import NamedTuple

from gem_gymnasium.sandbox.level import Running

CHUNK = 65_536
MAX_ANSWER = 4_096
WATCH_S = (0.01, 0.1)
"""The shortest and the longest time between two looks at memory and disk during a run.

What a program takes in between no limit stops, so looks that are cheap come often.
"""
LOOKING_SHARE = 0.05
"""The share of a core that looks may take where they are neither rare nor often.

It is that of all runs under way: looks are Python, whose threads take turns.
"""

_under_way: set[object] = set()


class Captured(NamedTuple):
    """What was read, and why the reading stopped."""

    output: bytes
    errors: bytes
    reason: str
    """``""`` (it ended), ``answer``, ``timeout``, or the limit that was passed."""
    answer: bytes = b""


def capture(
    running: Running,
    *,
    time_s: float,
    output_bytes: int,
    request: bytes = b"",
    answered: Callable[[bytes], bool] = bool,
) -> Captured:
    """Read until the program has ended (or a session has answered), or must be ended.

    ``request`` is written to a session while its output is read: neither waits for the other.
    ``answered`` says whether what the session answered so far is all of it: a byte, if not told.
    The caller kills and waits. A program that closes its pipes, or leaves them to a process of its
    own, changes nothing: the end is that of the first process or the deadline.
    """
    kept = {running.stdout: bytearray(), running.stderr: bytearray()}
    over = ""
    answer = b""
    deadline = time.monotonic() + time_s
    watch = time.monotonic() + WATCH_S[0]
    with selectors.DefaultSelector() as selector, _counted():
        for descriptor in (*kept, running.ended, running.answers):
            if descriptor >= 0:
                selector.register(descriptor, selectors.EVENT_READ)
        left = memoryview(request)
        if left:
            selector.register(running.requests, selectors.EVENT_WRITE)
        finished = False
        while not finished and not over:
            now = time.monotonic()
            if now >= deadline:
                over = "timeout"
                break
            for key, _ in selector.select(min(deadline, watch) - now):
                if key.fd in kept:
                    if not _take(key.fd, kept[key.fd], output_bytes, 1):
                        selector.unregister(key.fd)
                elif key.fd == running.requests:
                    left = left[_give(key.fd, left) :]
                    if not left:
                        selector.unregister(key.fd)
                elif key.fd == running.ended:
                    finished = True
                elif more := os.read(key.fd, 1 if answered is bool else MAX_ANSWER):
                    answer = (answer + more)[-MAX_ANSWER:]
                    finished = answered(answer)
                else:
                    selector.unregister(key.fd)  # the session is dying: `ended` follows
            over = over or _over(kept, output_bytes)
            now = time.monotonic()
            if not over and now >= watch:
                over, looked = running.excess(), time.monotonic()
                pause_s = (looked - now) * len(_under_way) / LOOKING_SHARE
                watch = looked + min(max(pause_s, WATCH_S[0]), WATCH_S[1])
    for descriptor, data in kept.items():  # what it had written before it ended
        _take(descriptor, data, output_bytes, 2 + output_bytes // CHUNK)
    over = over or _over(kept, output_bytes)
    output, errors = (bytes(kept[fd][:output_bytes]) for fd in (running.stdout, running.stderr))
    return Captured(output, errors, over or ("answer" if answered(answer) else ""), answer)


@contextlib.contextmanager
def _counted() -> Generator[None]:
    """Count a run as one that is under way."""
    run = object()
    _under_way.add(run)
    try:
        yield
    finally:
        _under_way.discard(run)


def _give(descriptor: int, data: memoryview) -> int:
    """Write what there is room for; return how much that was."""
    try:
        return os.write(descriptor, data)
    except BlockingIOError:
        return 0
    except BrokenPipeError:  # the interpreter is gone, which will be seen
        return len(data)


def _over(kept: dict[int, bytearray], output_bytes: int) -> str:
    if any(len(data) > output_bytes for data in kept.values()):
        return f"output over {output_bytes} bytes"
    return ""


def _take(descriptor: int, data: bytearray, output_bytes: int, times: int) -> bool:
    """Read what is there, up to a few chunks; return False at the end of the file."""
    for _ in range(times):
        if len(data) > output_bytes:
            return True
        try:
            chunk = os.read(descriptor, CHUNK)
        except BlockingIOError:
            return True
        if not chunk:
            return False
        data += chunk
    return True
