"""Level ``docker``: a container of an image, for shells and for Python."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import select
import subprocess
import threading
import time
import uuid
from pathlib import Path
from typing import Any, ClassVar

from gem_gymnasium.core.errors import SandboxUnavailable
from gem_gymnasium.sandbox.child_process import END_S, START_S
from gem_gymnasium.sandbox.container import LABEL, NOBODY, configuration, text_of
from gem_gymnasium.sandbox.engine import STDERR, STDOUT, Engine, Stream
from gem_gymnasium.sandbox.harness import OUT_OF_MEMORY
from gem_gymnasium.sandbox.level import (
    REMOVE_S,
    Ending,
    Level,
    Running,
    SandboxFailure,
    close_all,
    disk_excess,
    is_readable,
    pipe,
)
from gem_gymnasium.sandbox.policy import Kind, Policy, Program
from gem_gymnasium.sandbox.users import hand_over

SOCKET = "/var/run/docker.sock"
"""Where the local engine listens, unless ``DOCKER_HOST`` says otherwise."""

GRACE_S = 600.0
"""How long after its time a forgotten container is removed, by whoever starts the next one."""

PING_S = 2.0
"""How long the engine may take to show that it is there."""

CLEAN_S = 2.0
"""How long one that has just failed may take to remove a container."""

POLL_S = 0.2
"""How often at least it is asked whether a container that has closed its output has ended."""

_log = logging.getLogger(__name__)


class Docker(Level):
    """Run a process tree in a container of ``Policy.image``, for shells and for Python.

    **Covered**: no network; no process outside can be seen or signalled; of the file system there
    is the image's (read-only), and the run's folder as ``/sandbox``, which is in memory and
    bounded, as ``/tmp`` is, unless the policy names a folder; limits on the CPU, open files and
    file size of a process, on memory and processes together, and on output; the program is a user
    without rights, no power can be had by a set-uid file (one left in the policy's folder is none
    after the run), and the engine's own filters (seccomp, AppArmor) hold. When it ends, the kernel
    kills the whole tree. Nothing is pulled.

    **Not covered**: a fault in the kernel, unless the engine's runtime has one of its own (gVisor,
    Kata); a fault in the engine, which is root; what its filters let through (io_uring before
    Docker 25, VSOCK at some old ones too); memory of the kernel's own; files in memory count as
    memory, and ``/tmp`` and ``/dev/shm`` may each hold as much as the folder; the container's init
    process is the program's user, within the same limits. A caller that is killed leaves its
    container running until the next one that uses the level some ten minutes after its deadline.
    A folder that the policy names must be on the engine's machine, and an engine without root must
    be let into it by the folder's own rights; files there that are deleted while open do not count.
    Timing.
    """

    name: ClassVar[str] = "docker"
    kinds: ClassVar[tuple[Kind, ...]] = ("python", "shell", "shell session")

    def __init__(self) -> None:
        self._why: dict[str, str] = {}
        """What was found at each place where an engine was looked for."""
        self._swept = float("-inf")

    def unavailable(self) -> str:
        """Return why this machine cannot reach the level, or ``""``; tried once a process."""
        host = os.environ.get("DOCKER_HOST", "")
        if host not in self._why:
            self._why[host] = _tried(host)
        return self._why[host]

    def begin(self, program: Program, policy: Policy) -> Running:
        """Start a program in a container.

        Raises:
            SandboxFailure: The engine fails.
            SandboxUnavailable: It does not have the image, or cannot hold a limit.
        """
        container = _Container(policy)
        try:
            if time.monotonic() > self._swept + GRACE_S:
                self._swept = time.monotonic()
                container.sweep()
            container.start(program)
        except BaseException:
            container.close()
            raise
        return container


def require_image(image: str, command: str) -> None:
    """Refuse an image that the engine does not have.

    Raises:
        SandboxUnavailable: It does not have it; the message names the command that gets it.
        SandboxFailure: The engine fails.
    """
    with contextlib.closing(Engine()) as engine:
        if engine.volumes(image) is None:
            raise SandboxUnavailable(
                f"the Docker engine does not have the image {image!r}: run `{command}`"
            )


def _tried(host: str) -> str:
    """Return why no engine can be used, or ``""``."""
    if importlib.util.find_spec("docker") is None:
        return "Docker's SDK is not installed: run `pip install 'gem-gymnasium[docker]'`"
    if not host and not Path(SOCKET).exists():
        return f"no engine is here: there is no {SOCKET}, and DOCKER_HOST is not set"
    if host.startswith("unix:///") and not Path(host.removeprefix("unix://")).exists():
        return f"no engine is here: DOCKER_HOST is {host}, which does not exist"
    try:
        with contextlib.closing(Engine(PING_S)) as engine:
            system = engine.system()
    except SandboxFailure as error:
        return str(error)
    return "" if system == "linux" else f"the engine has containers of {system}, not of linux"


class _Container(Running):
    """A container, and the threads that carry its streams."""

    def __init__(self, policy: Policy) -> None:
        self.stdout = self.stderr = self.ended = -1
        self._policy = policy
        self._name = f"gem-{uuid.uuid4().hex}"
        self._engine = Engine()
        self._created = self._confirmed = self._paused = False
        self._begun, self._killed, self._closed = (threading.Event() for _ in range(3))
        self._ending = Ending(None, "the Docker engine does not answer")
        self._streams: list[Stream] = []
        self._threads: list[threading.Thread] = []

    def sweep(self) -> None:
        """Remove what callers have left that were killed.

        Raises:
            SandboxFailure: The engine fails.
        """
        for name, until in self._engine.labels(LABEL).items():
            if until.isdecimal() and int(until) + GRACE_S < time.time():
                _attempt(self._engine.remove, name)

    def start(self, program: Program) -> None:
        """Start the container and wait until the program is about to run.

        Raises:
            SandboxFailure: It does not come to that.
            SandboxUnavailable: The image is not there, or a limit cannot be held.
        """
        image = self._policy.image
        volumes = self._engine.volumes(image)
        if volumes is None:
            raise SandboxUnavailable(
                f"the Docker engine does not have the image {image!r}: run `docker pull {image}`"
            )
        if os.getuid() == 0:
            for folder in self._policy.given_folders:
                hand_over(str(folder), NOBODY)
        self._created = True  # even if the answer never comes
        warnings = self._engine.create(
            self._name, configuration(program, self._policy, volumes=volumes)
        )
        if lacking := [text for text in warnings if "discarded" in text.lower()]:
            raise SandboxUnavailable(f"the Docker engine cannot hold a limit: {lacking[0]}")
        output = self._engine.attach(self._name, "stdout", "stderr")
        self._streams.append(output)
        feed = self._engine.attach(self._name, "stdin")
        self._streams.append(feed)
        self.stdout, out = pipe()
        self.stderr, errors = pipe()
        self.ended, over = pipe()
        self._run(self._follow, output, {STDOUT: out, STDERR: errors}, over)
        self._engine.start(self._name)
        if program.kind == "shell session":
            requests, self.requests = os.pipe()
            os.set_blocking(self.requests, False)
            self._run(_carry, requests, feed)
            self._await_start()
            # What is written to the two streams may come in another order.
            self.is_in_order = False
            self.answers, (self.stderr, nothing) = self.stderr, pipe()
            os.close(nothing)
        else:
            self._run(feed.send, text_of(program) + program.stdin.encode("utf-8", "replace"))
            self._await_start()

    def _await_start(self) -> None:
        if not self._begun.wait(START_S):
            raise SandboxFailure(f"the program did not start within {START_S:g} s")
        if not self._confirmed:
            said = os.read(self.stderr, 4_096) if is_readable(self.stderr, 0) else b""
            what = said.decode("utf-8", "replace").strip() or self._ending.failure or "no reason"
            raise SandboxFailure(f"the program could not be started: {what}")

    def _run(self, function: Any, *arguments: Any) -> None:
        thread = threading.Thread(target=function, args=arguments, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _follow(self, output: Stream, writers: dict[int, int], over: int) -> None:
        """Carry the output to the pipes, then find out how the container ended. Runs in a thread.

        ``over``, when closed, makes ``ended`` readable: after the last of the output.
        """
        for writer in writers.values():
            os.set_blocking(writer, False)
        try:
            for stream, data in output.frames():
                if stream == STDOUT and not self._confirmed:
                    self._confirmed, data = True, data[1:]
                    self._begun.set()
                if stream in writers:
                    self._deliver(writers[stream], data)
            if not self._closed.is_set():
                self._ending = self._ended()
        except SandboxFailure as error:
            self._ending = Ending(None, str(error))
        finally:
            self._begun.set()
            close_all(*writers.values(), over)

    def _deliver(self, writer: int, data: bytes) -> None:
        """Write to a pipe as it is read; not at all once the program has been killed."""
        poll = select.poll()
        poll.register(writer, select.POLLOUT)
        left = memoryview(data)
        with contextlib.suppress(BrokenPipeError):
            while left and not self._killed.is_set():
                if poll.poll(POLL_S * 1000):
                    left = left[os.write(writer, left) :]

    def _ended(self) -> Ending:
        """Wait for the end of a container that has closed its output; return how it ended."""
        pause_s = 0.005
        while (state := self._engine.state(self._name)).is_running:
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, POLL_S)
        if state.out_of_memory and state.code:
            return Ending(OUT_OF_MEMORY)
        return Ending.as_of_a_shell(state.code)

    def interrupt(self) -> None:
        """Send an interrupt to all in the container but its first process."""
        _attempt(self._engine.execute, self._name, ["/bin/sh", "-c", "kill -s INT -- -1"])

    def pause(self) -> None:
        """Have the container stand still.

        Raises:
            SandboxFailure: The engine fails.
        """
        if not self._paused:
            self._engine.pause(self._name)
            self._paused = True

    def resume(self) -> None:
        """Have the container go on.

        Raises:
            SandboxFailure: The engine fails.
        """
        if self._paused:
            self._engine.resume(self._name)
            self._paused = False

    def kill(self) -> None:
        """Have the container killed, and with it all."""
        self._killed.set()
        self._run(_attempt, self._engine.kill, self._name, END_S)

    def wait(self, timeout_s: float) -> Ending:
        """Return how the container ended, with all that ran in it."""
        is_readable(self.ended, timeout_s)
        return self._ending

    def excess(self) -> str:
        """Return that the policy's folder holds too much, or ``""``."""
        folder = self._policy.folder
        return "" if folder is None else disk_excess(str(folder), self._policy)

    def close(self) -> None:
        """Remove the container, whatever it does; close every descriptor."""
        self._killed.set()
        self._closed.set()
        if self._created:
            self._created = False
            timeout_s = () if self._ending.code is not None else (CLEAN_S,)
            _attempt(self._engine.remove, self._name, *timeout_s)
            if self._policy.folder is not None:
                _clear_set_id(str(self._policy.folder))
        for stream in self._streams:
            stream.close()
        close_all(self.requests)
        self.requests = -1
        for thread in self._threads:
            thread.join(CLEAN_S)
        self._engine.close()
        self.close_pipes()
        close_all(self.ended)
        self.ended = -1


def _carry(requests: int, feed: Stream) -> None:
    """Carry a session's requests to the container until there are no more. Runs in a thread."""
    with os.fdopen(requests, "rb", buffering=0) as stream:
        while data := stream.read(65_536):
            feed.write(data)
    feed.close()


def _clear_set_id(folder: str) -> None:
    """Take from the files of a folder that whoever starts them runs them as their owner."""
    # By programs that get through folders a thousand deep; closed folders are opened on the way.
    folders = ["-type", "d", "!", "-perm", "-700", "-execdir", "chmod", "u+rwx", "{}", ";"]
    marked = ["-type", "f", "(", "-perm", "-4000", "-o", "-perm", "-2000", ")"]
    command = ["find", folder, *folders, "-o", *marked, "-execdir", "chmod", "ug-s", "{}", "+"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            command,
            env={"PATH": os.defpath},
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=REMOVE_S,
        )


def _attempt(function: Any, *arguments: Any) -> None:
    """Call the engine where a failure changes nothing for the run."""
    try:
        function(*arguments)
    except SandboxFailure as error:
        _log.warning("%s", error)
