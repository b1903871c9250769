"""Level ``zygote``: a warm Python forks one confined child a run, in a few milliseconds."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from gem_gymnasium.sandbox import landlock, seccomp
from gem_gymnasium.sandbox.child_process import ENVIRONMENT, PYTHON_FLAGS
from gem_gymnasium.sandbox.level import (
    Ending,
    Level,
    Running,
    SandboxFailure,
    close_all,
    disk_excess,
    is_readable,
    limits,
    pipe,
    remove,
    sealed,
    unlinked_bytes,
)
from gem_gymnasium.sandbox.libraries import Library
from gem_gymnasium.sandbox.policy import Kind, Policy, Program
from gem_gymnasium.sandbox.zygote_child import CONFINED
from gem_gymnasium.sandbox.zygote_server import ENDED, READY, STARTED

START_S = 60.0
"""How long the warm parent may take to import and say that it is ready."""

ATTEMPTS = 3
"""How often a program is given to a child before its run has failed."""

DYING_S = 0.2
"""How long a parent whose sockets are closed may take to be seen dead."""

SETUP_S = 10.0
"""How long a child may take to confine itself."""

# The package itself stays out of the warm parent: only the files of this folder are loaded.
_BOOT = """
import sys, types
for name, place in (("gem_gymnasium", sys.argv[1]), ("gem_gymnasium.sandbox", sys.argv[2])):
    module = sys.modules[name] = types.ModuleType(name)
    module.__path__ = [place]
from gem_gymnasium.sandbox.zygote_server import main
main(int(sys.argv[3]), *sys.argv[4:])
"""


class Zygote(Level):
    """Run Python in a forked child that the kernel confines, without a container.

    **Covered**: no network; no process beside the child itself; no reading outside the standard
    library, the system's libraries, ``libraries.PACKAGES`` and the run's folder; no writing outside
    the folder; no signal to, and no look into, any other process; limits on CPU, memory, threads,
    open files, file size and output. Of the caller the child has neither memory (it is forked
    from a parent with an empty environment), nor environment, nor open files. Started by root, it
    runs as an unused user. Its means: Landlock, a list of allowed system calls (seccomp), resource
    limits.

    **Not covered**: a fault in the kernel (there is no second kernel, as gVisor or a virtual
    machine has); names, sizes and times of files elsewhere can be asked for; files that are
    deleted while open count only where the caller may look at the child (not for a root without
    the right to trace, as in a container), else up to 64 of the size of one; memory beside the
    processes' own (the kernel's, for pipes and file names); timing.
    """

    name: ClassVar[str] = "zygote"
    kinds: ClassVar[tuple[Kind, ...]] = ("python", "session")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parents: dict[Library, _Parent] = {}
        """The warm parent of each library that is in use."""
        os.register_at_fork(after_in_child=self._forget)
        atexit.register(self.stop)

    def unavailable(self) -> str:
        """Return why this machine cannot reach the level, or ``""``."""
        if sys.platform != "linux":
            return "needs Linux"
        here = landlock.version()
        if here < landlock.NEEDED_VERSION:
            needed = landlock.NEEDED_VERSION
            return f"needs Landlock version {needed} (Linux 6.2), the kernel has {here or 'none'}"
        return seccomp.unavailable()

    def begin(self, program: Program, policy: Policy) -> Running:
        """Fork a child for a program.

        Raises:
            SandboxFailure: The warm parent does not start, or the child cannot be confined.
        """
        request = {
            "session": program.kind == "session",
            "folder": None if policy.folder is None else str(Path(policy.folder).resolve()),
            "limits": limits(program, policy),
        }
        for attempt in range(ATTEMPTS):
            child = _Child(self._warm_parent(program.library), policy)
            try:
                child.start(request, program)
            except TimeoutError as error:
                child.parent.process.kill()  # and with it all its children
                child.close()
                raise SandboxFailure(str(error)) from error
            except SandboxFailure:
                child.close()
                # Parent or child may have died while they waited: that is no failure of this run,
                # of which nothing has run yet.
                if attempt == ATTEMPTS - 1:
                    raise
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.parent.process.wait(DYING_S)
            else:
                return child
        raise AssertionError("unreachable")

    def stop(self) -> None:
        """End the warm parents; the next run starts another."""
        with self._lock:
            for parent in self._parents.values():
                parent.stop()
            self._parents.clear()

    def _warm_parent(self, library: Library) -> _Parent:
        with self._lock:
            parent = self._parents.get(library)
            if parent is None or parent.is_dead():
                if parent is not None:
                    parent.stop()
                parent = self._parents[library] = _Parent(library)
            return parent

    def _forget(self) -> None:
        """Leave the warm parents to the process that this one was forked from."""
        parents, self._parents, self._lock = self._parents, {}, threading.Lock()
        for parent in parents.values():
            parent.requests.close()


class _Parent:
    """The warm parent's process and the socket to it."""

    def __init__(self, library: Library) -> None:
        self.requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.folders = tempfile.mkdtemp(prefix="gem-")
        os.chmod(self.folders, 0o711)  # other users may pass, to what is theirs in it
        here = Path(__file__).resolve().parent
        with theirs:
            theirs.set_inheritable(True)
            self.process = subprocess.Popen(
                [
                    *(sys.executable, *PYTHON_FLAGS, "-c", _BOOT),
                    *(str(here.parent), str(here), str(theirs.fileno()), self.folders),
                    *(",".join(library.packages), ",".join(library.warm), library.warm_up),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
                env=ENVIRONMENT,
                cwd="/",
                start_new_session=True,
            )
        assert self.process.stderr is not None
        self.requests.settimeout(START_S)
        try:
            ready = self.requests.recv(len(READY)) == READY
        except OSError:
            ready = False
        if not ready:
            self.process.kill()
            said = self.process.stderr.read(4_000).decode("utf-8", "replace").strip()
            self.stop()
            raise SandboxFailure(f"the sandbox's parent did not start: {said or 'it was too slow'}")
        self.process.stderr.close()
        self.requests.settimeout(SETUP_S)

    def is_dead(self) -> bool:
        """Return whether the process has ended."""
        return self.process.poll() is not None

    def stop(self) -> None:
        """End the process, by force if it must be."""
        self.requests.close()
        try:
            self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()
        shutil.rmtree(self.folders, ignore_errors=True)  # if the process could not


class _Child(Running):
    """One forked child, told to and heard of through the warm parent."""

    def __init__(self, parent: _Parent, policy: Policy) -> None:
        self.parent, self._policy = parent, policy
        self._pid, self._folder = 0, ""
        # Messages: the folder at the start, how it ended at the end.
        self._status, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.ended = self._status.fileno()
        self.stdout = self.stderr = -1

    def start(self, request: Mapping[str, object], program: Program) -> None:
        """Send the request and wait until the child is confined."""
        given: list[int] = []
        setup = -1
        try:
            if request["session"]:
                source, self.requests = os.pipe()
                os.set_blocking(self.requests, False)
                given.append(source)
            else:
                given.append(sealed(program.text))
            given.append(sealed(program.stdin))
            for name in ("stdout", "stderr", "answers"):
                reading, writing = pipe()
                setattr(self, name, reading)
                given.append(writing)
            setup, writing = pipe()
            given += [writing, self._theirs.fileno()]
            try:
                socket.send_fds(self.parent.requests, [json.dumps(request).encode()], given)
            except OSError as error:
                os.close(setup)
                # It is dying, if not dead yet: no other attempt must meet it.
                self.parent.process.kill()
                self.parent.process.wait()
                raise SandboxFailure(f"the sandbox's parent takes no request: {error}") from error
        finally:
            close_all(*given[:-1])
            self._theirs.close()
        try:
            self._pid, self._folder = _confirmed(setup, self._status)
        finally:
            os.close(setup)

    def kill(self) -> None:
        """Tell the parent to kill the child, which has no children itself."""
        self._tell(b"k")

    def pause(self) -> None:
        """Stop the child: a session does nothing between its runs."""
        self._tell(b"s")

    def resume(self) -> None:
        """Let the child go on."""
        self._tell(b"c")

    def _tell(self, what: bytes) -> None:
        with contextlib.suppress(OSError):
            self._status.send(what)

    def excess(self) -> str:
        """Return that the folder holds too much, or ``""``."""
        return disk_excess(self._folder, self._policy, unlinked_bytes([self._pid]))

    def wait(self, timeout_s: float) -> Ending:
        """Return how the child ended; if the parent does not say, end the parent."""
        self._status.settimeout(timeout_s)
        try:
            try:
                told = self._status.recv(ENDED.size)
            except ConnectionResetError:
                # The parent closed its end with an order of ours unread: the child had ended by
                # itself. What the parent said before comes after the error.
                told = self._status.recv(ENDED.size)
        except TimeoutError:
            self.parent.process.kill()  # and with it all its children
            return Ending(None, "the sandbox's parent does not answer")
        except OSError:
            told = b""
        if len(told) < ENDED.size:
            return Ending(None, "the sandbox's parent died")
        return Ending(ENDED.unpack(told)[0])

    def close(self) -> None:
        """Close every descriptor, by which a child that still runs is killed; clean up."""
        self._status.close()
        if self._folder and self._policy.folder is None:
            remove(self._folder)
        self.close_pipes()


def _confirmed(setup: int, status: socket.socket) -> tuple[int, str]:
    """Return the child's number and folder, once it is confined.

    Raises:
        SandboxFailure: It could not be confined.
        TimeoutError: Nothing happens.
    """
    if not is_readable(setup, SETUP_S):
        raise TimeoutError(f"the sandbox's parent confined no program within {SETUP_S:g} s")
    said = os.read(setup, 4_096)
    if said != CONFINED:
        why = said.decode("utf-8", "replace")
        raise SandboxFailure(why or "the sandbox's parent, or the child, died")
    status.settimeout(SETUP_S)
    try:
        said = status.recv(STARTED.size + 4_096)
    except OSError:
        said = b""
    if not said:
        raise SandboxFailure("the sandbox's parent died")
    return STARTED.unpack_from(said)[0], os.fsdecode(said[STARTED.size :])
