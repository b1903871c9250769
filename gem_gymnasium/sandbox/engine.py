"""The Docker engine as level ``docker`` asks it: the SDK's calls, each with a deadline."""

from __future__ import annotations

import contextlib
import importlib
import socket
from collections.abc import Generator, Iterator, Mapping
from typing import Any, NamedTuple

from gem_gymnasium.sandbox.level import SandboxFailure

API_S = 20.0
"""How long the engine may take to answer a call."""

CHUNK = 65_536
STDOUT, STDERR = 1, 2


class State(NamedTuple):
    """Whether a container runs, and how it ended if it does not."""

    is_running: bool
    code: int
    out_of_memory: bool


class Stream:
    """A connection to the standard streams of a container."""

    def __init__(self, raw: Any) -> None:
        # The SDK gives a file around a Unix or TCP socket, and for TLS and SSH the thing itself.
        self._raw = raw
        self._socket = getattr(raw, "_sock", raw)
        self._socket.settimeout(None)

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """Yield (``STDOUT`` or ``STDERR``, some of what it wrote) until the end of both."""
        while len(head := self._read(8)) == 8:
            left = int.from_bytes(head[4:], "big")
            while left:
                data = self._receive(min(left, CHUNK))
                if not data:
                    return
                left -= len(data)
                yield head[0], data

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size and (more := self._receive(size - len(data))):
            data += more
        return data

    def _receive(self, size: int) -> bytes:
        try:
            return self._socket.recv(size)
        except OSError:  # why, the engine is asked
            return b""

    def send(self, data: bytes) -> None:
        """Write to the container's stdin and close it, unless the container ends before."""
        self.write(data)
        self.close()

    def write(self, data: bytes) -> None:
        """Write to the container's stdin, unless the container has ended."""
        with contextlib.suppress(OSError):
            self._socket.sendall(data)

    def close(self) -> None:
        """Hang up; wakes whoever reads or writes. Idempotent."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._socket.close()
            # The SDK leaves the HTTP response to it, which owns what is buffered.
            getattr(self._raw, "_response", self._raw).close()


class Engine:
    """A connection to the engine that ``DOCKER_HOST`` names, or to the local one.

    Each call but ``attach`` ends within ``timeout_s`` and raises SandboxFailure if the engine does
    not answer, or refuses.

    Raises:
        SandboxFailure: It cannot be reached.
    """

    def __init__(self, timeout_s: float = API_S) -> None:
        # Late: it costs 0.2 s, and only this level needs it.
        docker: Any = importlib.import_module("docker")
        self._errors: Any = docker.errors
        with self._asking("be reached"):
            self._api: Any = docker.from_env(timeout=timeout_s).api

    @contextlib.contextmanager
    def _asking(self, what: str) -> Generator[None]:
        try:
            yield
        except (OSError, self._errors.DockerException) as error:
            said = getattr(error, "explanation", None) or str(error)
            raise SandboxFailure(f"the Docker engine cannot {what}: {said}") from error

    def system(self) -> str:
        """Return which system its containers are of."""
        with self._asking("say what it is"):
            return self._api.version()["Os"]

    def volumes(self, image: str) -> list[str] | None:
        """Return the folders that an image wants kept outside it; None if it is not there."""
        with self._asking(f"show image {image!r}"):
            try:
                found: Mapping[str, Any] = self._api.inspect_image(image)
            except self._errors.NotFound:
                return None
        config: Mapping[str, Any] = found.get("Config") or {}
        volumes: Mapping[str, Any] = config.get("Volumes") or {}
        return list(volumes)

    def create(self, name: str, configuration: Mapping[str, Any]) -> list[str]:
        """Create a container; return what the engine warns of."""
        with self._asking("create a container"):
            made = self._api.create_container_from_config(configuration, name=name)
        return list(made.get("Warnings") or ())

    def attach(self, name: str, *streams: str) -> Stream:
        """Connect to ``stdin``, or to ``stdout`` and ``stderr``, of a container not yet started."""
        with self._asking("attach to a container"):
            return Stream(self._api.attach_socket(name, dict.fromkeys((*streams, "stream"), 1)))

    def start(self, name: str) -> None:
        """Start a container."""
        with self._asking("start a container"):
            self._api.start(name)

    def state(self, name: str) -> State:
        """Return whether a container runs."""
        with self._asking("say how a container is"):
            state = self._api.inspect_container(name)["State"]
        return State(bool(state["Running"]), int(state["ExitCode"]), bool(state["OOMKilled"]))

    def pause(self, name: str) -> None:
        """Stop all that runs in a container."""
        with self._asking("pause a container"):
            self._api.pause(name)

    def resume(self, name: str) -> None:
        """Let all that runs in a container go on."""
        with self._asking("resume a container"):
            self._api.unpause(name)

    def execute(self, name: str, command: list[str]) -> None:
        """Run a command beside what runs in a container; its output is dropped."""
        with self._asking("run a command in a container"):
            made = self._api.exec_create(name, command, stdout=False, stderr=False)
            self._api.exec_start(made["Id"], detach=True)

    def kill(self, name: str, timeout_s: float = API_S) -> None:
        """Kill a container, if it runs."""
        self._api.timeout = timeout_s
        with self._asking("kill a container"), contextlib.suppress(self._errors.APIError):
            self._api.kill(name)

    def remove(self, name: str, timeout_s: float = API_S) -> None:
        """Remove a container, running or not, if there is one."""
        self._api.timeout = timeout_s
        with self._asking("remove a container"):
            try:
                self._api.remove_container(name, v=True, force=True)
            except self._errors.APIError as error:
                # There is none, or another removes it.
                if error.status_code not in (404, 409):
                    raise

    def labels(self, label: str) -> dict[str, str]:
        """Return every container that has a label, and its value."""
        with self._asking("list its containers"):
            found = self._api.containers(all=True, filters={"label": label})
        return {entry["Id"]: entry["Labels"].get(label, "") for entry in found}

    def close(self) -> None:
        """Hang up."""
        self._api.close()
