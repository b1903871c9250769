"""A program as a process of one's own: what levels ``bwrap`` and ``rlimit`` have in common."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from gem_gymnasium.sandbox.level import (
    Running,
    SandboxFailure,
    close_all,
    is_readable,
    limits,
    pipe,
    sealed,
)
from gem_gymnasium.sandbox.policy import Policy, Program

START_S = 20.0
"""How long a program may take to start."""

END_S = 5.0
"""How long a killed program may take to be gone."""

INTERPRETER_BYTES = 512 << 20
"""Address space of an interpreter with numpy imported, or of a shell, beside the program's."""

ANSWERS, OUTPUT = 60, 61
"""Where a shell session answers, and where its output goes: numbers that no command uses."""

ENV, DEFAULTS = "/usr/bin/env", "--default-signal"
"""What sets the signals that its caller ignores at their defaults."""

PYTHON_FLAGS = ("-s", "-P", "-B", "-u", "-X", "utf8")
"""No user's packages, none from the folder, no bytecode files, output at once."""


ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",  # sets of strings have one order
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
}
"""What every program finds in its environment, nothing of which is the caller's."""


class Descriptors:
    """The descriptors of a program: the caller's ends in a Running, the program's ends here."""

    def __init__(self, running: Running, program: Program) -> None:
        running.stdout, self.stdout = pipe()
        running.stderr, self.stderr = pipe()
        self.confirmed, confirm = pipe()
        self.confirm = _elsewhere(confirm)
        self.source, self.answers = -1, -1
        if program.kind.endswith("session"):
            requests, running.requests = os.pipe()
            os.set_blocking(running.requests, False)
            running.answers, answers = pipe()
            self.answers = _elsewhere(answers)
        else:
            requests = sealed(program.text)
        if program.kind == "shell session":
            self.stdin = requests
        else:
            self.stdin, self.source = sealed(program.stdin), requests

    def inherited(self) -> tuple[int, ...]:
        """Return what the program has beside the standard streams."""
        return tuple(fd for fd in (self.confirm, self.source, self.answers) if fd >= 0)

    def close_theirs(self) -> None:
        """Close the program's ends: once it has them, the caller needs them no more."""
        close_all(self.stdin, self.stdout, self.stderr, *self.inherited())

    def await_start(self, stderr: int) -> None:
        """Wait until the program's first line is about to run.

        The byte that says so is written before anything that nobody trusts has run, so that no
        program can pass for one that could not be started.

        Raises:
            SandboxFailure: It could not be started.
        """
        try:
            if not is_readable(self.confirmed, START_S):
                raise SandboxFailure(f"the program did not start within {START_S:g} s")
            if not os.read(self.confirmed, 1):
                said = os.read(stderr, 4_096) if is_readable(stderr, 0.1) else b""
                what = said.decode("utf-8", "replace").strip()
                raise SandboxFailure(f"the program could not be started: {what or 'no reason'}")
        finally:
            os.close(self.confirmed)


def _elsewhere(descriptor: int) -> int:
    """Return a descriptor that is none of a shell session's own, in place of one that is."""
    if descriptor not in (ANSWERS, OUTPUT):
        return descriptor
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, OUTPUT + 1)
    os.close(descriptor)
    return moved


def ignoring_nothing(command: Sequence[str]) -> list[str]:
    """Return a command that ignores no signal, whatever its caller does.

    A shell keeps for ever what its caller ignores: interrupts where a job runs in the background of
    a script, hang-ups under nohup.
    """
    # What Python itself ignores Popen gives back.
    numbers = signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}
    ignored = any(signal.getsignal(number) == signal.SIG_IGN for number in numbers)
    return [*((ENV, DEFAULTS) if ignored and _knows_defaults(ENV) else ()), *command]


def _bash(command: str) -> list[str]:
    return ignoring_nothing(["/bin/bash", "--noprofile", "--norc", "-c", command, "bash"])


@functools.cache
def _knows_defaults(env: str) -> bool:
    """Return whether an ``env`` gives signals back: GNU's before 8.31 and BusyBox's do not.

    Where it does not, a shell that ignores what its caller ignores is better than none.
    """
    try:
        done = subprocess.run(
            [env, DEFAULTS, "/bin/echo", "on"], capture_output=True, timeout=START_S, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.stdout == b"on\n"  # there is no status where the caller ignores SIGCHLD


def command_of(program: Program, ends: Descriptors, python: str) -> list[str]:
    """Return the command that runs a program whose text is to be read from a descriptor."""
    if program.kind == "shell session":
        # Interactive: only then does an interrupt end a command and leave the shell.
        command = (
            f"printf . >&{ends.confirm}; exec {OUTPUT}>&1 {ANSWERS}>&{ends.answers} "
            f"{ends.answers}>&- {ends.confirm}>&-; exec /bin/bash --noprofile --norc --noediting -i"
        )
        return _bash(command)
    if program.kind == "shell":
        # By a variable, since an argument is bounded and may hold no NUL.
        command = (
            f'c="$(</dev/fd/{ends.source})"; printf . >&{ends.confirm}; '
            f'exec {ends.source}<&- {ends.confirm}>&-; eval "unset c\n$c"'
        )
        return _bash(command)
    mode = "once" if program.kind == "python" else "session"
    harness = files("gem_gymnasium.sandbox").joinpath("harness.py").read_text(encoding="utf-8")
    return [python, *PYTHON_FLAGS, "-c", harness, mode, *map(str, ends.inherited())]


def limiting(program: Program, policy: Policy) -> list[str]:
    """Return the command (of util-linux) that sets a program's limits and then becomes it."""
    flags = [
        f"--{name.lower()}={soft}:{hard}"
        for name, (soft, hard) in limits(program, policy, INTERPRETER_BYTES).items()
    ]
    return ["/usr/bin/prlimit", *flags, "--"]


def environment(folder: str) -> dict[str, str]:
    """Return what a program that works in a folder finds in its environment."""
    return {**ENVIRONMENT, "HOME": folder, "TMPDIR": folder}


def search_path(folders: Iterable[Path]) -> dict[str, str]:
    """Return the variable by which a new interpreter finds folders of packages."""
    return {"PYTHONPATH": os.pathsep.join(map(str, folders))}


def interpreter() -> Path:
    """Return this Python's program, outside any virtual environment."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def family(pid: int) -> list[int]:
    """Return a process and all that it started, and those started, as far as they live."""
    found = [pid]
    for parent in found:
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{parent}/task").iterdir():
                found += map(int, (thread / "children").read_text(encoding="ascii").split())
    return found


def memory_excess(pids: Sequence[int], policy: Policy) -> str:
    """Return that processes take more memory together than one may, or ``""``."""
    pages = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            resident, shared = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1:3]
            pages += int(resident) - int(shared)
    size = pages * os.sysconf("SC_PAGE_SIZE")
    return f"over {policy.memory_bytes} bytes of memory" if size > policy.memory_bytes else ""


def launch(
    command: Sequence[str],
    ends: Descriptors,
    *,
    folder: str,
    variables: Mapping[str, str],
    also: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a command in a folder, with descriptors beside the program's own.

    Raises:
        SandboxFailure: It cannot be started.
    """
    try:
        return subprocess.Popen(
            command,
            stdin=ends.stdin,
            stdout=ends.stdout,
            stderr=ends.stderr,
            pass_fds=(*ends.inherited(), *also),
            env=variables,
            cwd=folder,
            start_new_session=True,
        )
    except OSError as error:
        raise SandboxFailure(f"{command[0]} cannot be started: {error}") from error
