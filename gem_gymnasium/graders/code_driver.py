"""What runs inside the sandbox for ``grade_code``: a program on the inputs of its tests.

All tests of a problem run in one sandboxed process, one after the other, each with the program
executed anew. Only inputs come in: what is right never enters the sandbox, and the outputs that go
out are data, compared outside. So nothing here is trusted, though the program shares the process:
whatever it changes, reads or forges, it passes only by putting out what is right.

``main`` reads a request from stdin and writes one line of JSON a test, as each ends. See
``values.inside`` for how this file comes into the sandbox.
"""

import atexit
import builtins
import contextlib
import fcntl
import io
import json
import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple, NoReturn

from gem_gymnasium.graders.values import decode, encode

FILE = "<program>"
AGAIN_S = 0.25
"""How often a test whose time is up is told so, should it not listen."""

MAX_TEXT = 200
"""Characters of a detail."""


class Late(BaseException):
    """The test's time is up."""


class Ended(BaseException):
    """The program ended itself at once (``os._exit``)."""


class Outcome(NamedTuple):
    """What became of a test: ``done``, ``error``, ``timeout`` or ``output`` (over the limit)."""

    status: str
    detail: str
    output: Any


class Streams:
    """Files as the descriptors 0 and 1 of a test, which some programs use directly."""

    def __init__(self, text: str) -> None:
        self.input, self.output = _file(), _file()
        with open(self.input, "wb", closefd=False) as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        os.lseek(self.input, 0, os.SEEK_SET)
        os.dup2(self.input, 0)
        os.dup2(self.output, 1)
        readable = io.BufferedReader(io.FileIO(0, closefd=False))
        writable = io.BufferedWriter(io.FileIO(1, "w", closefd=False))
        sys.stdin = sys.__stdin__ = io.TextIOWrapper(readable, "utf-8", "replace")
        self.stdout = io.TextIOWrapper(writable, "utf-8", "replace", newline="\n")
        sys.stdout = sys.__stdout__ = self.stdout

    def written(self, limit: int) -> str | None:
        """Return what the test has put out, or None if that is over the limit; end the files."""
        for stream in (sys.stdout, self.stdout):
            with contextlib.suppress(BaseException):
                stream.flush()
        size = os.fstat(self.output).st_size
        os.lseek(self.output, 0, os.SEEK_SET)
        data = b"" if size > limit else io.FileIO(self.output, closefd=False).read(limit)
        os.close(self.input)
        os.close(self.output)
        return None if size > limit else data.decode("utf-8", "replace")


def _file() -> int:
    """Return a descriptor of a new file without a name."""
    path = os.path.join(HOME, ".stream")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)
    return _high(descriptor)


def _high(descriptor: int) -> int:
    """Return a copy beyond the standard streams, which a program may have closed."""
    copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 20)
    if descriptor != 1:
        os.close(descriptor)
    return copy


HOME = os.getcwd()
_builtins = dict(vars(builtins))
_exit = os._exit
_armed = False


def _late(number: int, frame: FrameType | None) -> None:
    if _armed:
        raise Late


def _ended(status: int = 0) -> NoReturn:
    raise Ended(status)


def afresh() -> None:
    """Undo what a test before this one may have changed for all."""
    names = builtins.__dict__
    names.clear()
    names.update(_builtins)
    os.chdir(HOME)
    os._exit = _ended  # else the tests to come would end with this one
    sys.argv = [FILE]
    sys.setrecursionlimit(1_000)
    threading.stack_size(0)
    random.seed(0)
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)


def run_test(program: CodeType, prelude: CodeType, test: Any, request: dict[str, Any]) -> Outcome:
    """Execute the program for one test, and call its function if there is one."""
    global _armed
    afresh()
    streams = Streams("" if request["function"] else test)
    status, detail, value = "done", "", None
    try:
        try:
            signal.signal(signal.SIGALRM, _late)
            _armed = True
            signal.setitimer(signal.ITIMER_REAL, request["time_s"], AGAIN_S)
            value = execute(program, prelude, test, request["function"])
        finally:
            _armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Late:
        status, detail = "timeout", f"over {request['time_s']:g} s"
    except (SystemExit, Ended) as ending:
        code = ending.args[0] if ending.args else None
        if code not in (None, 0):
            status, detail = "error", f"exit status {code}"[:MAX_TEXT]
    except BaseException as error:
        status, detail = "error", described(error)
    text = streams.written(request["limit"])
    if text is None:
        return Outcome("output", f"over {request['limit']} bytes", None)
    return Outcome(status, detail, value if request["function"] else text)


def execute(program: CodeType, prelude: CodeType, test: Any, function: str) -> Any:
    """Execute the program to its end, its threads and exit functions included."""
    module = ModuleType("program" if function else "__main__")
    sys.modules[module.__name__] = module
    value = None
    exec(prelude, vars(module))
    exec(program, vars(module))
    if function:
        arguments, keywords = (decode(form) for form in test)
        value = encode(found(module, function)(*arguments, **keywords))
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    return value


def found(module: ModuleType, function: str) -> Callable[..., Any]:
    """Return a function by its name; of ``Solution.solve`` the method of a new ``Solution``.

    Raises:
        NameError: The program defines none.
    """
    owner: Any = module
    *path, name = function.split(".")
    for step in path:
        if not hasattr(owner, step):
            raise NameError(f"the program defines no {function}")
        owner = getattr(owner, step)()
    if not hasattr(owner, name):
        raise NameError(f"the program defines no {function}")
    return getattr(owner, name)


def described(error: BaseException) -> str:
    """Return an exception in one line, with the line of the program that raised it."""
    line, frames = 0, error.__traceback__
    while frames is not None:
        if frames.tb_frame.f_code.co_filename == FILE:
            line = frames.tb_lineno
        frames = frames.tb_next
    try:
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
    except BaseException:
        text = type(error).__name__
    return text[:MAX_TEXT] + (f" (line {line})" if line else "")


def main() -> None:
    """Run the tests of a request; write one line ``[number, status, detail, output]`` for each."""
    request: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    results = _high(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 2)
    try:
        failure = None
        program = prelude = compile("", FILE, "exec")
        try:
            prelude = compile(request["prelude"], "<prelude>", "exec", dont_inherit=True)
            program = compile(request["program"], FILE, "exec", dont_inherit=True)
        except BaseException as error:
            failure = Outcome("error", described(error), None)
        for number, test in enumerate(request["tests"]):
            outcome = failure or run_test(program, prelude, test, request)
            with open(results, "w", encoding="utf-8", closefd=False) as stream:
                stream.write(json.dumps([number, *outcome]) + "\n")
            if outcome.status == "timeout" and request["all"]:
                break
    finally:
        os._exit = _exit
