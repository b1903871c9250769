"""What this machine isolates: every level tried with programs that reach for what is not theirs.

The programs are the doctor's own and harmless: they reach for bait that the doctor lays and takes
away again. Whether they got it is seen from outside; nothing they say of it counts.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import NamedTuple

from gem_gymnasium.core.errors import SandboxUnavailable
from gem_gymnasium.sandbox import landlock
from gem_gymnasium.sandbox.level import is_readable
from gem_gymnasium.sandbox.policy import Kind, Policy, Result
from gem_gymnasium.sandbox.run import LEVELS, choose, run_python, run_shell

POLICY = Policy(time_s=10.0)

RUN: Mapping[Kind, Callable[..., Result]] = {"python": run_python, "shell": run_shell}
HELLO: Mapping[Kind, str] = {"python": "print(1 + 1)", "shell": "echo 2"}
PYTHON = """
import socket
def network():
    socket.create_connection(("127.0.0.1", {port}), 2).close()
def reading():
    print(open({secret!r}).read())
def writing():
    open({place!r}, "w").close()
for reach in (network, reading, writing):
    try:
        reach()
    except OSError:
        pass
print("done")
"""
SHELL = "(exec 3<>/dev/tcp/127.0.0.1/{port})\ncat {secret}\n: > {place}\necho done"


class Trial(NamedTuple):
    """What became of programs of one kind at a level.

    Args:
        kind: ``python`` or ``shell``.
        seconds: What the shortest program took, the faster of two times.
        problem: Why none could be run, else ``""``.
        through: What was reached of ``network``, ``reading`` and ``writing`` outside.
    """

    kind: Kind
    seconds: float
    problem: str
    through: tuple[str, ...]


class Finding(NamedTuple):
    """What was found of a level: why it cannot be reached, or its trials."""

    level: str
    isolated: bool
    """Whether it is meant to isolate."""
    why: str
    trials: tuple[Trial, ...] = ()

    @property
    def problems(self) -> list[str]:
        """What went wrong in the trials, each once."""
        return list(dict.fromkeys(trial.problem for trial in self.trials if trial.problem))

    @property
    def through(self) -> list[str]:
        """What got through in any trial, each once."""
        return list(dict.fromkeys(name for trial in self.trials for name in trial.through))


class Bait:
    """A file to read, a place to write and a port to connect to, open to every user."""

    def __init__(self, folder: Path, listener: socket.socket) -> None:
        self._token = secrets.token_hex(16)
        self.secret, self.place = folder / "secret", folder / "place"
        self.secret.write_text(self._token, encoding="ascii")
        self.secret.chmod(0o644)
        self._listener = listener
        self.port: int = listener.getsockname()[1]

    def program(self, kind: Kind) -> str:
        """Return a program that reaches for all of it."""
        places = str(self.secret), str(self.place)
        if kind == "shell":
            places = shlex.quote(places[0]), shlex.quote(places[1])
        text = SHELL if kind == "shell" else PYTHON
        return text.format(port=self.port, secret=places[0], place=places[1])

    def taken(self, output: str) -> tuple[str, ...]:
        """Return what a program with such an output has got; lay the bait anew."""
        connected = is_readable(self._listener.fileno(), 0.0)
        if connected:
            self._listener.accept()[0].close()
        written = self.place.exists()
        self.place.unlink(missing_ok=True)
        found = {"network": connected, "reading": self._token in output, "writing": written}
        return tuple(name for name, is_taken in found.items() if is_taken)


@contextlib.contextmanager
def bait() -> Generator[Bait]:
    """Lay bait until the end of the block."""
    with (
        tempfile.TemporaryDirectory(prefix="gem-doctor-") as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        os.chmod(folder, 0o777)
        yield Bait(Path(folder), listener)


def examine() -> list[Finding]:
    """Try every level that this machine reaches."""
    findings: list[Finding] = []
    for name, level in LEVELS.items():
        if why := level.unavailable():
            findings.append(Finding(name, level.isolated, why))
            continue
        kinds: list[Kind] = [kind for kind in RUN if kind in level.kinds]
        with bait() as laid:
            trials = tuple(try_out(name, kind, laid) for kind in kinds)
        findings.append(Finding(name, level.isolated, "", trials))
    return findings


def try_out(level: str, kind: Kind, laid: Bait) -> Trial:
    """Run programs of one kind at a level."""
    run = RUN[kind]
    times: list[float] = []
    for _ in range(2):  # what the first one waits for (a warm parent) the later ones do not
        start = time.perf_counter()
        try:
            result = run(HELLO[kind], policy=POLICY, level=level)
        except SandboxUnavailable as error:
            return Trial(kind, 0.0, str(error), ())
        times.append(time.perf_counter() - start)
        if (result.status, result.output) != ("ok", "2\n"):
            return Trial(kind, 0.0, said(result), ())
    result = run(laid.program(kind), policy=POLICY, level=level)
    through = laid.taken(result.output)
    problem = "" if result.output.endswith("done\n") else said(result)
    return Trial(kind, min(times), problem, through)


def said(result: Result) -> str:
    """Return what became of a program that should have ended well."""
    last = result.errors.strip().rpartition("\n")[2]
    return ": ".join(filter(None, (result.status, result.detail, last)))


def is_sound(findings: list[Finding]) -> bool:
    """Return whether some level isolates, and none that should lets anything through."""
    isolating = [finding for finding in findings if finding.isolated and not finding.why]
    return any(not finding.problems for finding in isolating) and not any(
        finding.through for finding in isolating
    )


def chosen(kind: Kind) -> str:
    """Return the level that a program gets which asks for none, ``""`` if there is none."""
    try:
        return choose(kind, None).name
    except SandboxUnavailable:
        return ""


def landlock_version() -> int:
    """Return the version of Landlock that the kernel has, 0 for none."""
    return landlock.version() if sys.platform == "linux" else 0
