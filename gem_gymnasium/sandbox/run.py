"""Run untrusted programs: choose a level, bound the time, say what became of it."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Generator, Mapping

from gem_gymnasium.core.errors import ConfigError, SandboxUnavailable, UnknownName
from gem_gymnasium.sandbox.bwrap import Bwrap
from gem_gymnasium.sandbox.child_process import END_S
from gem_gymnasium.sandbox.docker import Docker
from gem_gymnasium.sandbox.harness import OUT_OF_MEMORY
from gem_gymnasium.sandbox.level import Ending, Level, SandboxFailure
from gem_gymnasium.sandbox.policy import DEFAULT, Kind, Policy, Program, Result, Status
from gem_gymnasium.sandbox.reading import Captured, capture
from gem_gymnasium.sandbox.rlimit import Rlimit
from gem_gymnasium.sandbox.zygote import Zygote

LEVELS: Mapping[str, Level] = {
    level.name: level for level in (Zygote(), Bwrap(), Docker(), Rlimit())
}
"""Every level, the first choice first."""

AT_ONCE = 4 * (os.cpu_count() or 1)
"""Programs that one process runs at the same time; the others wait for their turn."""

TURN_S = 600.0
"""How long a program waits for its turn before the run fails."""

_turns = threading.BoundedSemaphore(AT_ONCE)


def run_python(
    source: str, *, stdin: str = "", policy: Policy = DEFAULT, level: str | None = None
) -> Result:
    """Run a Python program that nobody trusts.

    The program works in an empty folder of its own (also its ``HOME`` and ``TMPDIR``), sees the
    standard library and ``libraries.PACKAGES``, has nothing of the caller's environment, and no
    network. Global random generators start from seed 0 at level ``zygote``.

    Args:
        source: The program.
        stdin: What it reads from its standard input.
        policy: What it may use.
        level: The isolation to run in; None for the first of ``LEVELS`` that is there.

    Returns:
        What became of it. The program's faults are in there; so is a failure of the sandbox
        itself (status ``failed``), which says nothing about the program.

    Raises:
        SandboxUnavailable: No isolating level, or not the one asked for, can be reached here.
        ConfigError: There is no such level, or it does not run Python.
    """
    return _run(Program("python", source, stdin), policy, choose("python", level))


def run_shell(
    command: str, *, stdin: str = "", policy: Policy = DEFAULT, level: str | None = None
) -> Result:
    """Run a command with ``bash -c`` that nobody trusts; otherwise as :func:`run_python`.

    Raises:
        SandboxUnavailable: As there; level ``zygote`` runs no shell.
        ConfigError: As there.
    """
    return _run(Program("shell", command, stdin), policy, choose("shell", level))


def available() -> dict[str, str]:
    """Return for every level ``""`` if this machine reaches it, else why not."""
    return {name: level.unavailable() for name, level in LEVELS.items()}


def choose(kind: Kind, name: str | None) -> Level:
    """Return the level that a program will run in.

    Raises:
        SandboxUnavailable: No isolating level, or not the one asked for, can be reached here.
        ConfigError: There is no such level, or it does not run such a program.
    """
    if name is not None:
        if name not in LEVELS:
            raise UnknownName("sandbox level", name, LEVELS)
        level = LEVELS[name]
        if kind not in level.kinds:
            raise ConfigError(f"level {name!r} runs {', '.join(level.kinds)}; not {kind}")
        if why := level.unavailable():
            raise SandboxUnavailable(f"level {name!r} cannot be reached here: {why}")
        return level
    reasons: list[str] = []
    for level in LEVELS.values():
        if not level.isolated or kind not in level.kinds:
            continue
        if not (why := level.unavailable()):
            return level
        reasons.append(f"{level.name}: {why}")
    raise SandboxUnavailable(
        f"nothing on this machine isolates a {kind} program ({'; '.join(reasons)}). "
        "`gem-gym doctor` says more. level='rlimit' runs it without isolation: only for programs "
        "that you trust"
    )


def _run(program: Program, policy: Policy, level: Level) -> Result:
    """Run a program to its end."""
    try:
        with turn():
            running = level.start(program, policy)
            with contextlib.closing(running):
                captured = capture(running, time_s=policy.time_s, output_bytes=policy.output_bytes)
                if captured.reason:
                    running.kill()
                ending = running.wait(END_S)
                late = "" if captured.reason else running.excess()
    except SandboxFailure as error:
        return Result("", "", "failed", level.name, str(error))
    return judge(captured._replace(reason=captured.reason or late), ending, policy, level.name)


@contextlib.contextmanager
def turn() -> Generator[None]:
    """Wait for a turn to run.

    Raises:
        SandboxFailure: It did not come.
    """
    if not _turns.acquire(timeout=TURN_S):
        raise SandboxFailure(f"{AT_ONCE} programs at once have kept this one waiting {TURN_S:g} s")
    try:
        yield
    finally:
        _turns.release()


def judge(captured: Captured, ending: Ending, policy: Policy, level: str) -> Result:
    """Return what became of a run that was read to its end."""
    status, detail = _verdict(captured, ending, policy)
    output, errors = (
        data.decode("utf-8", "replace") for data in (captured.output, captured.errors)
    )
    return Result(output, errors, status, level, detail)


def _verdict(captured: Captured, ending: Ending, policy: Policy) -> tuple[Status, str]:
    code = ending.code
    if code is None:
        return "failed", ending.failure
    if captured.reason == "timeout":
        return "timeout", f"over {policy.time_s:g} s"
    if captured.reason:
        return "limit", captured.reason
    if code == 0:
        return "ok", ""
    if code == OUT_OF_MEMORY:
        return "limit", f"over {policy.memory_bytes} bytes of memory"
    if code == -signal.SIGXCPU:
        return "limit", f"over {policy.cpu_limit_s} s of CPU"
    if code == -signal.SIGXFSZ:
        return "limit", f"a file over {policy.disk_bytes} bytes"
    if code == -signal.SIGKILL:  # not by us
        return "limit", "killed: over its CPU time, over the machine's memory, or by itself"
    if code < 0:
        return "error", f"killed by signal {-code} ({signal.strsignal(-code) or 'unnamed'})"
    return "error", f"exit status {code}"
