"""A persistent shell: where it is, what it has set and what it has started survive a command."""

from __future__ import annotations

import dataclasses
import functools
import re
import secrets
import shlex
import signal
import sys
import tempfile
import threading
import time
import weakref
from pathlib import Path

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.sandbox import lasting
from gem_gymnasium.sandbox.child_process import ANSWERS, OUTPUT
from gem_gymnasium.sandbox.level import Ending, Running, SandboxFailure, is_readable, remove
from gem_gymnasium.sandbox.libraries import Library
from gem_gymnasium.sandbox.policy import DEFAULT, Place, Policy, Program, Result
from gem_gymnasium.sandbox.processes import Process, freeze, identities, look, send, thaw
from gem_gymnasium.sandbox.reading import Captured, capture
from gem_gymnasium.sandbox.run import END_S, choose, turn

INTERRUPT_S = 1.5
"""How long an interrupted command may take to be over, before the shell is killed."""

ROUND_S = 0.1
"""How often it is interrupted again: politely at first, then not."""

DRAINED_BYTES = 1 << 20
MARK_S = 0.02

_BARE = Library((), ())

_PREPARE = (
    "set +o history +H; unset HISTFILE; "
    'export TERM=dumb PAGER=cat GIT_PAGER=cat EDITOR=false PATH="$PATH:{python}"\n'
)
"""What a shell is told first. The system's own Python, if there is one, comes first."""

_STREAMS = f"</dev/null >&{OUTPUT} 2>&1 {ANSWERS}>&- {OUTPUT}>&-"
"""A command's own; bash puts back what it does to them (``exec >file``)."""


class ShellSession:
    """A bash that remembers: folder, variables, functions and background jobs survive a command.

    Confined as :func:`run_shell` is. Commands read an empty stdin, and stderr goes where stdout
    goes, as in a terminal; what ``exec`` does to the three holds for one command. Between commands
    everything in it stands still, background jobs too: it uses nothing while nobody looks. It works
    in a folder on this machine, which outlives the shell and is removed by ``close`` (unless the
    policy named it). A command over its deadline or its output is interrupted, and the shell goes
    on; only where that does not help, or another limit is passed, the shell is killed. Then, and
    when a command ends the shell, the next one starts a new shell in the same folder, which
    ``is_open`` tells. Commands of several threads run one after another.

    What the shell says of itself decides nothing but which output belongs to which command: its
    answers come on a descriptor that commands do not have, each with a number drawn for it. A
    command that finds them anyway, as its own shell's memory can be read, deceives itself alone.

    Args:
        policy: What the shell may use; ``time_s`` holds for each command, ``cpu_s`` for none.
        level: The isolation; None for the first that is there.
        place: Another path by which the shell finds its folder; ``""`` for none.

    Raises:
        SandboxUnavailable: As for :func:`run_shell`.
    """

    def __init__(
        self, policy: Policy = DEFAULT, level: str | None = None, *, place: str = ""
    ) -> None:
        self._level = choose("shell session", level)
        self.level = self._level.name
        self._owns_folder = policy.folder is None
        self._folder = Path(policy.folder or tempfile.mkdtemp(prefix="gem-"))
        also = (Place(self._folder, place, writable=True),) if place else ()
        places = (*policy.places, *also)
        self._policy = dataclasses.replace(policy, folder=self._folder, places=places)
        self._running: Running | None = None
        self._late_marks: list[bytes] = []
        self._lock = threading.Lock()
        self._closed = False
        # Whoever forgets to close it leaves nothing behind all the same.
        self._live: list[Running] = []
        folder = str(self._folder) if self._owns_folder else ""
        self._finalizer = weakref.finalize(self, _clean, self._live, folder)

    @property
    def folder(self) -> Path:
        """The folder, as this machine sees it; what is in it nobody should trust."""
        return self._folder

    @property
    def is_open(self) -> bool:
        """Whether there is a shell, with what the commands so far left in it."""
        return self._running is not None and not is_readable(self._running.ended, 0)

    def run(self, command: str, *, time_s: float | None = None) -> Result:
        """Run a command in the shell.

        Args:
            command: What bash is to evaluate, several lines if wanted; NUL is left out.
            time_s: Seconds that it may take, None for the policy's.

        Returns:
            What became of it. ``failed``: the sandbox itself failed, or somebody outside killed the
            shell. After that, and whenever ``is_open`` is False, what the shell had is gone.

        Raises:
            ConfigError: The session is closed.
        """
        with self._lock:
            if self._closed:
                raise ConfigError("the session is closed")
            policy = self._policy
            if time_s is not None:
                policy = dataclasses.replace(policy, time_s=time_s)
            try:
                with turn():
                    return self._run(command, policy)
            except SandboxFailure as error:
                self._end()
                return Result("", "", "failed", self.level, str(error))

    def _run(self, command: str, policy: Policy) -> Result:
        prepare = ""
        if self._running is None:
            program = Program("shell session", library=_BARE)
            # Not from this thread, which may not live as long as the shell.
            self._running = lasting.call(functools.partial(self._level.start, program, policy))
            self._live.append(self._running)
            python = Path(sys.base_prefix).resolve() / "bin"
            prepare = _PREPARE.format(python=python)
        elif is_readable(self._running.ended, 0):
            # Between commands nothing inside runs that could have done it.
            raise SandboxFailure("the shell was killed from outside")
        running = self._running
        running.resume()
        thaw(running.processes())
        before = identities(running.processes())
        answer = _Answer(marked=not running.is_in_order)
        request = f"{prepare}builtin eval {shlex.quote(command)} {_STREAMS}\n{answer.ask}"
        captured = capture(
            running,
            time_s=policy.time_s,
            output_bytes=policy.output_bytes,
            request=request.replace("\0", "").encode("utf-8", "replace"),
            answered=answer.is_in,
        )
        reason = captured.reason
        if reason == "answer" and not running.is_in_order:
            captured = _whole(running, captured, answer, policy)
        is_full = len(captured.output) >= policy.output_bytes
        captured = captured._replace(output=self._without_late_marks(captured.output))
        if reason == "answer" and (over := running.excess()):
            return self._killed(captured, over)
        if reason == "answer":
            status = answer.status(captured.answer)
        elif not reason:
            return self._ended(captured)
        elif reason == "timeout" or is_full:
            status = _interrupted(running, before, answer)
            if not running.is_in_order:
                self._late_marks.append(answer.mark)  # asked for in each round: more may come
            if status is None:
                return self._killed(captured, _why(reason, policy))
        else:
            return self._killed(captured, reason)
        if not freeze(running.processes):
            return self._killed(captured, "processes that do not stand still")
        running.pause()
        if reason == "answer":
            return self._result(captured, status)
        kind = "timeout" if reason == "timeout" else "limit"
        detail = f"{_why(reason, policy)}: the command was interrupted"
        return Result(_text(captured), "", kind, self.level, detail)

    def _without_late_marks(self, output: bytes) -> bytes:
        """Return the output of a command without what an interrupted one's answers left in it."""
        for mark in self._late_marks:
            output = output.replace(mark, b"")
        return output

    def _result(self, captured: Captured, status: int) -> Result:
        if status == 0:
            return Result(_text(captured), "", "ok", self.level, "")
        return Result(_text(captured), "", "error", self.level, f"exit status {status}")

    def _killed(self, captured: Captured, why: str) -> Result:
        """Kill the shell for what a command did; return what became of the command."""
        assert self._running is not None
        self._running.kill()
        ending = self._running.wait(END_S)
        self._end()
        if ending.code is None:
            return Result(_text(captured), "", "failed", self.level, ending.failure)
        kind = "timeout" if captured.reason == "timeout" else "limit"
        return Result(_text(captured), "", kind, self.level, f"{why}: the shell was killed")

    def _ended(self, captured: Captured) -> Result:
        """Return what became of a command with which the shell ended."""
        assert self._running is not None
        ending = self._running.wait(END_S)
        self._end()
        if ending.code is None:
            return Result(_text(captured), "", "failed", self.level, ending.failure)
        kind = "ok" if ending.code == 0 else "error"
        return Result(_text(captured), "", kind, self.level, f"the shell ended: {_how(ending)}")

    def processes(self) -> list[Process]:
        """Return what runs in the shell's tree, the shell itself first; empty if there is none."""
        with self._lock:
            return look(self._running.processes()) if self._running is not None else []

    def stop(self) -> None:
        """Kill the shell and all it started; the folder stays."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        self._running = None
        self._late_marks.clear()
        while self._live:
            self._live.pop().close()

    def close(self) -> None:
        """Kill the shell, remove the folder; idempotent."""
        with self._lock:
            self._closed = True
            self._running = None
            self._finalizer()


def _clean(live: list[Running], folder: str) -> None:
    """Kill a session's shell; remove its folder, if it has one of its own."""
    while live:
        live.pop().close()
    if folder:
        remove(folder)


class _Answer:
    """The answer to one command: a number that nobody could know before, and the exit status.

    Where answers may come before the output that was written earlier (``marked``), the output ends
    with a mark.
    """

    def __init__(self, *, marked: bool) -> None:
        number = secrets.token_hex(8)
        self.mark = f"\0{number}\0".encode()
        self.ask = f"builtin printf '{number} %d\\n' $? >&{ANSWERS}\n"
        if marked:
            self.ask += f"builtin printf '\\x00{number}\\x00' >&{OUTPUT}\n"
        self._pattern = re.compile(rb"\b%s (\d+)\n" % number.encode())

    def is_in(self, answers: bytes) -> bool:
        """Return whether the shell has given it."""
        return self._pattern.search(answers) is not None

    def status(self, answers: bytes) -> int:
        """Return the exit status that it tells."""
        found = self._pattern.search(answers)
        return 1 if found is None else int(found[1]) & 0xFF


def _whole(running: Running, captured: Captured, answer: _Answer, policy: Policy) -> Captured:
    """Read on until the mark that ends the output of a command, and leave it out."""
    output = captured.output
    deadline = time.monotonic() + END_S
    while answer.mark not in output and time.monotonic() < deadline:
        more = capture(
            running, time_s=MARK_S, output_bytes=policy.output_bytes, answered=lambda _: False
        )
        output += more.output
        if not more.reason:
            break
    return captured._replace(output=output.partition(answer.mark)[0][: policy.output_bytes])


def _interrupted(running: Running, before: set[tuple[int, int]], answer: _Answer) -> int | None:
    """End a command and what it started; return its status, None if the shell does not go on."""
    deadline = time.monotonic() + INTERRUPT_S
    number, request = signal.SIGINT, ""
    while time.monotonic() < deadline:
        pids = running.processes()
        own = {process.pid for process in look(pids) if process.identity not in before}
        send(number, own)
        # As from a keyboard: the program dies of an interrupt, so its shell drops the command.
        send(signal.SIGINT, pids[:1])
        running.interrupt()
        captured = capture(
            running,
            time_s=ROUND_S,
            output_bytes=DRAINED_BYTES,
            request=request.encode(),
            answered=answer.is_in,
        )
        if captured.reason == "answer":
            if not running.is_in_order:
                _whole(running, captured, answer, DEFAULT)
            return answer.status(captured.answer)
        if not captured.reason:
            return None
        # A command may have read what the shell was to read next.
        number, request = signal.SIGKILL, f"\n{answer.ask}"
    return None


def _why(reason: str, policy: Policy) -> str:
    return f"over {policy.time_s:g} s" if reason == "timeout" else reason


def _how(ending: Ending) -> str:
    code = ending.code or 0
    return f"killed by signal {-code}" if code < 0 else f"exit status {code}"


def _text(captured: Captured) -> str:
    return captured.output.decode("utf-8", "replace")
