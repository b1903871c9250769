"""A persistent interpreter: names survive from one run to the next."""

from __future__ import annotations

import dataclasses
import functools
import threading

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.sandbox import lasting
from gem_gymnasium.sandbox.harness import DONE, OUT_OF_MEMORY
from gem_gymnasium.sandbox.level import Ending, Running, SandboxFailure, is_readable
from gem_gymnasium.sandbox.libraries import STANDARD, Library
from gem_gymnasium.sandbox.policy import DEFAULT, Policy, Program, Result
from gem_gymnasium.sandbox.reading import capture
from gem_gymnasium.sandbox.run import END_S, choose, judge, turn

_CODES = {answer: code for code, answer in DONE.items()}


class PythonSession:
    """Python that remembers: each run continues with the names that the runs before it left.

    Confined as :func:`run_python` is. At level ``zygote`` the interpreter stands still between
    runs. A run that ends by its deadline, a limit or the interpreter's own end takes the names with
    it: the next run starts an empty interpreter. Runs of several threads happen one after another.

    Args:
        policy: What the interpreter may use; ``time_s`` holds for each run, ``cpu_s`` for none.
        level: The isolation; None for the first that is there.
        library: What can be imported.

    Raises:
        SandboxUnavailable: As for :func:`run_python`.
    """

    def __init__(
        self, policy: Policy = DEFAULT, level: str | None = None, *, library: Library = STANDARD
    ) -> None:
        self._level = choose("session", level)
        self.level = self._level.name
        self._policy = policy
        self._library = library
        self._running: Running | None = None
        self._lock = threading.Lock()
        self._closed = False

    @property
    def is_open(self) -> bool:
        """Whether there is an interpreter, with what the runs so far left in it."""
        return self._running is not None and not is_readable(self._running.ended, 0)

    def run(self, source: str, *, time_s: float | None = None) -> Result:
        """Execute a source in the session's namespace.

        Args:
            source: What to execute; it reads nothing from stdin.
            time_s: Seconds that it may take, None for the policy's.

        Returns:
            What became of it. After ``timeout``, ``limit`` or ``failed``, and when it ended the
            interpreter, the names are gone.

        Raises:
            ConfigError: The session is closed.
        """
        with self._lock:
            if self._closed:
                raise ConfigError("the session is closed")
            policy = self._policy if time_s is None else self._with(time_s)
            try:
                with turn():
                    return self._run(source, policy)
            except SandboxFailure as error:
                self._end()
                return Result("", "", "failed", self.level, str(error))

    def _with(self, time_s: float) -> Policy:
        return dataclasses.replace(self._policy, time_s=time_s)

    def _run(self, source: str, policy: Policy) -> Result:
        if self._running is None:
            program = Program("session", library=self._library)
            # Not from this thread, which may not live as long as the interpreter.
            self._running = lasting.call(functools.partial(self._level.start, program, policy))
        running = self._running
        running.resume()
        request = source.encode("utf-8", "replace")
        captured = capture(
            running,
            time_s=policy.time_s,
            output_bytes=policy.output_bytes,
            request=len(request).to_bytes(4, "little") + request,
        )
        late = "" if captured.reason not in ("", "answer") else running.excess()
        if captured.reason == "answer" and not late:
            running.pause()
            code = _CODES.get(captured.answer, 1)
            result = judge(captured._replace(reason=""), Ending(code), policy, self.level)
            if code == OUT_OF_MEMORY:
                self._end()
            return result
        running.kill()
        ending = running.wait(END_S)
        self._end()
        reason = late or captured.reason
        return judge(captured._replace(reason=reason), ending, policy, self.level)

    def _end(self) -> None:
        """End the interpreter; the next run starts another."""
        running, self._running = self._running, None
        if running is not None:
            running.close()

    def close(self) -> None:
        """End the interpreter and clean up; idempotent."""
        with self._lock:
            self._closed = True
            self._end()
