"""Level ``rlimit``: a plain child with resource limits, without isolation."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import ClassVar

from gem_gymnasium.sandbox import libraries
from gem_gymnasium.sandbox.child_process import (
    END_S,
    Descriptors,
    command_of,
    environment,
    family,
    launch,
    limiting,
    memory_excess,
    search_path,
)
from gem_gymnasium.sandbox.level import (
    Ending,
    Level,
    Running,
    close_all,
    disk_excess,
    is_readable,
    remove,
)
from gem_gymnasium.sandbox.policy import Kind, Policy, Program


class Rlimit(Level):
    """Run a child with limits and nothing else: **no isolation**, to be asked for by name.

    **Covered**: limits on time, CPU, memory, open files, file size and output; a folder of its own
    and an empty environment; the caller is never held up.

    **Not covered**: everything else. The program can use the network, read and write whatever the
    caller can, signal and inspect the caller's processes, and leave processes behind that have
    left its session. For programs that you trust, on machines that have nothing better.
    """

    name: ClassVar[str] = "rlimit"
    kinds: ClassVar[tuple[Kind, ...]] = ("python", "session", "shell", "shell session")
    isolated: ClassVar[bool] = False

    def unavailable(self) -> str:
        """Return why this machine cannot reach the level, or ``""``."""
        if sys.platform != "linux":
            return "needs Linux"
        if shutil.which("prlimit") is None:
            return "prlimit is not installed: run `apt-get install util-linux`"
        return ""

    def begin(self, program: Program, policy: Policy) -> Running:
        """Start a child.

        Raises:
            SandboxFailure: It does not start.
        """
        group = _Group(policy)
        try:
            group.start(program)
        except BaseException:
            group.close()
            raise
        return group


class _Group(Running):
    """A child and those of its children that stay in its process group."""

    def __init__(self, policy: Policy) -> None:
        self.stdout = self.stderr = self.ended = -1
        self._policy = policy
        own = policy.folder is None
        self._folder = tempfile.mkdtemp(prefix="gem-") if own else str(policy.folder)
        self._child: subprocess.Popen[bytes] | None = None

    def start(self, program: Program) -> None:
        """Start the child and wait until the program is about to run.

        Raises:
            SandboxFailure: It does not come to that.
        """
        ends = Descriptors(self, program)
        command = limiting(program, self._policy)
        # What an ordinary user runs already counts against a limit on processes.
        command = [part for part in command if not part.startswith("--nproc")]
        command += command_of(program, ends, sys.executable)
        try:
            variables = {**environment(self._folder), **search_path(libraries.package_folders())}
            self._child = launch(command, ends, folder=self._folder, variables=variables)
            self.ended = os.pidfd_open(self._child.pid)
        finally:
            ends.close_theirs()
        ends.await_start(self.stderr)

    def kill(self) -> None:
        """Kill the child's process group."""
        # The child is not waited for yet, so that its number is still its own.
        if self._child is not None and self._child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGKILL)

    def wait(self, timeout_s: float) -> Ending:
        """Return how the child ended; what is left of its group is killed."""
        assert self._child is not None
        if not is_readable(self.ended, timeout_s):
            return Ending(None, "the process could not be killed")
        self.kill()  # its children, while its number is still its own
        return Ending(self._child.wait())

    def processes(self) -> list[int]:
        """Return the ids of the child and of those that it started, as far as they are its own."""
        return [] if self._child is None else family(self._child.pid)

    def excess(self) -> str:
        """Return that memory or disk hold too much, or ``""``."""
        assert self._child is not None
        over = memory_excess(family(self._child.pid), self._policy)
        return over or disk_excess(self._folder, self._policy)

    def close(self) -> None:
        """Kill what is left, close every descriptor, remove the folder."""
        if self._child is not None:
            self.kill()
            self._child.wait(END_S)
            self._child = None
        self.close_pipes()
        close_all(self.ended)
        self.ended = -1
        if self._folder and self._policy.folder is None:
            remove(self._folder)
            self._folder = ""
