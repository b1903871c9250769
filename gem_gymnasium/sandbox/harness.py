"""What runs inside a confined Python: execute sources, write tracebacks, end with a status.

Level ``zygote`` calls it in a forked child; the others give its text to a new interpreter, so it
imports the standard library only. Nothing here is trusted: the program it runs may change all of
it. Only the exit status, the output's bytes and the clock count, and those the caller reads.
"""

from __future__ import annotations

import atexit
import contextlib
import linecache
import os
import signal
import sys
import threading
import traceback
from types import ModuleType, TracebackType
from typing import Any

FILE = "<python>"
OUT_OF_MEMORY = 86
"""Exit status after a MemoryError."""

DONE = {0: b"o", OUT_OF_MEMORY: b"m"}
"""What a session answers after a run; ``b"e"`` after an error."""


def run_once(source: str) -> int:
    """Execute a program to its end, its threads and exit functions included; return its status."""
    status = execute(source, new_main())
    try:
        shutdown = getattr(threading, "_shutdown", None)  # waits for threads, as Python itself does
        if shutdown is not None:
            shutdown()
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    except BaseException:
        traceback.print_exc()
    flush()
    return status


def run_file(source: int) -> int:
    """Execute the program that a descriptor holds to its end."""
    with os.fdopen(source, "rb") as stream:
        text = stream.read().decode("utf-8", "replace")
    return run_once(text)


def run_session(requests: int, answers: int) -> int:
    """Execute the sources that come in, in one namespace, until there are no more.

    Args:
        requests: A file descriptor to read from: 4 bytes of length, then a source, again and again.
        answers: One to write to: one byte when a source has run and its output is written.
    """
    names = new_main()
    with os.fdopen(requests, "rb") as stream:
        while len(head := stream.read(4)) == 4:
            source = stream.read(int.from_bytes(head, "little"))
            status = execute(source.decode("utf-8", "replace"), names)
            flush()
            os.write(answers, DONE.get(status, b"e"))
    return 0


def new_main() -> dict[str, Any]:
    """Return the namespace of a new program, which is the module ``__main__``."""
    module = ModuleType("__main__")
    sys.modules["__main__"] = module
    return vars(module)


def execute(source: str, names: dict[str, Any]) -> int:
    """Execute a source in a namespace; write what it raises; return an exit status."""
    # So that a traceback shows the lines.
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    try:
        exec(compile(source, FILE, "exec", dont_inherit=True), names)
    except SystemExit as ending:
        if ending.code is None or isinstance(ending.code, int):
            return (ending.code or 0) & 0xFF
        sys.stderr.write(f"{ending.code}\n")
        return 1
    except BaseException as error:
        with contextlib.suppress(BaseException):  # the program may have broken even this
            write_traceback(error)
        return OUT_OF_MEMORY if isinstance(error, MemoryError) else 1
    return 0


def write_traceback(error: BaseException) -> None:
    """Write a traceback that starts in the program, not in this file."""
    frames: TracebackType | None = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != FILE:
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)


def flush() -> None:
    """Write out what is buffered, if the program left the streams open."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def read_exactly(descriptor: int, length: int) -> bytes:
    """Return the next ``length`` bytes, or what there is, and take nothing beyond them."""
    data = bytearray()
    while len(data) < length and (chunk := os.read(descriptor, length - len(data))):
        data += chunk
    return bytes(data)


def main(arguments: list[str]) -> int:
    """Run as a program: ``once CONFIRM SOURCE`` or ``session CONFIRM REQUESTS ANSWERS``.

    The numbers are descriptors; ``CONFIRM`` takes one byte before the program's first line. Where
    there are none but the standard streams, ``piped LENGTH`` confirms on stdout, and the source is
    the first bytes of stdin.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    mode, numbers = arguments[0], [int(number) for number in arguments[1:]]
    sys.argv = [FILE]
    # Where installed packages are has done its work: the program's environment has none of it.
    os.environ.pop("PYTHONPATH", None)
    if mode == "piped":
        text = read_exactly(0, *numbers).decode("utf-8", "replace")
        os.write(1, b".")
        return run_once(text)
    confirm, source, *answers = numbers
    os.write(confirm, b".")
    os.close(confirm)
    if mode == "session":
        return run_session(source, *answers)
    return run_file(source)


if __name__ == "__main__":
    status = main(sys.argv[1:])
    flush()
    os._exit(status)
