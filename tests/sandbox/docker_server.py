"""A server on loopback that speaks the part of Docker's API that level ``docker`` uses.

What it is asked to run (commands of the tests' own) it runs as a plain child, in no container: it
shows that the level asks for the right things and bears what an engine may do to it. Whether an
engine isolates is tested where there is a real one.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from gem_gymnasium.sandbox import Result, run_python, run_shell
from gem_gymnasium.sandbox.child_process import ignoring_nothing

HANG_S = 30.0
"""How long a server that hangs goes on, should nobody wake it."""


class Container:
    """A child with the streams of whoever is attached to it."""

    def __init__(self, configuration: dict[str, Any]) -> None:
        self.configuration = configuration
        self.process: subprocess.Popen[bytes] | None = None
        self.started = threading.Event()
        self.output: socket.socket | None = None
        self.folder = tempfile.mkdtemp(prefix="gem-test-")
        self._lock = threading.Lock()

    def start(self, path: str, heard: Callable[[bytes], None]) -> None:
        first, *rest = [*self.configuration["Entrypoint"], *self.configuration["Cmd"]]
        variables = dict(pair.split("=", 1) for pair in self.configuration["Env"])
        command = [sys.executable if first == "python3" else first, *rest]
        self.process = subprocess.Popen(
            ignoring_nothing(command),  # an engine's containers never saw who calls it
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env={"PATH": path, **variables},
            start_new_session=True,
        )
        self.started.set()
        copiers = [
            threading.Thread(target=self._copy, args=(number, pipe, heard))
            for number, pipe in ((1, self.process.stdout), (2, self.process.stderr))
        ]
        for copier in copiers:
            copier.start()
        threading.Thread(target=self._finish, args=(copiers,)).start()

    def _copy(self, number: int, pipe: Any, heard: Callable[[bytes], None]) -> None:
        with pipe:
            while data := os.read(pipe.fileno(), 32_768):
                frame = bytes([number, 0, 0, 0]) + len(data).to_bytes(4, "big") + data
                with suppress(OSError), self._lock:
                    if self.output is not None:
                        self.output.sendall(frame)
                heard(data)

    def _finish(self, copiers: list[threading.Thread]) -> None:
        for copier in copiers:
            copier.join()
        hang_up(self.output)

    def feed(self, stream: Any) -> None:
        """Carry what comes to the child's stdin; its end too, as ``StdinOnce`` asks."""
        assert self.configuration["StdinOnce"]
        self.started.wait(HANG_S)
        assert self.process is not None
        assert self.process.stdin is not None
        with suppress(OSError), self.process.stdin as pipe:
            while data := stream.read1(32_768):
                pipe.write(data)
                pipe.flush()

    def kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def remove(self) -> None:
        self.kill()
        hang_up(self.output)
        shutil.rmtree(self.folder, ignore_errors=True)

    def exit_code(self) -> int | None:
        """Return the exit status as an engine gives it: 128 and the number for a signal."""
        code = None if self.process is None else self.process.poll()
        return 128 - code if code is not None and code < 0 else code


class Handler(BaseHTTPRequestHandler):
    """Answers one call after another."""

    protocol_version = "HTTP/1.1"
    server: "DockerServer"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.answer("GET")

    def do_POST(self) -> None:
        self.answer("POST")

    def do_DELETE(self) -> None:
        self.answer("DELETE")

    def answer(self, method: str) -> None:
        self.server.connections.add(self.connection)
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        path = re.sub(r"^/v[\d.]+", "", unquote(url.path))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.server.hangs.is_set():
            self.server.awake.wait(HANG_S)
            self.close_connection = True
            return
        what = f"{method} {path}"
        if what == "GET /version":
            return self.send(200, {"ApiVersion": "1.44", "Os": self.server.system})
        if what == "GET /containers/json":
            return self.send(200, self.server.listed(json.loads(query["filters"])))
        if what == "POST /containers/create":
            self.server.containers[query["name"]] = Container(json.loads(body))
            self.server.asked.append(json.loads(body))
            return self.send(201, {"Id": query["name"], "Warnings": self.server.warnings})
        if found := re.fullmatch(r"GET /images/(.+)/json", what):
            image = self.server.images.get(found[1])
            missing = {"message": f"No such image: {found[1]}"}
            return self.send(200, image) if image else self.send(404, missing)
        if found := re.fullmatch(r"\w+ /containers/([^/]+)(?:/(\w+))?", what):
            container = self.server.containers.get(found[1])
            if container is None:
                return self.send(404, {"message": f"No such container: {found[1]}"})
            return self.ask(container, found[1], found[2] or "remove", query)
        if re.fullmatch(r"POST /exec/[^/]+/start", what):
            return self.send(200, None)
        self.send(404, {"message": f"the tests' server knows no {what}"})

    def ask(self, container: Container, name: str, what: str, query: dict[str, str]) -> None:
        """Answer a call about one container."""
        if what == "attach":
            return self.attach(container, query)
        if what == "start":
            if self.server.refuses_start:
                return self.send(500, {"message": self.server.refuses_start})
            container.start(self.server.path, self.server.heard)
        elif what == "kill":
            container.kill()
        elif what in ("pause", "unpause"):
            container.signal(signal.SIGSTOP if what == "pause" else signal.SIGCONT)
        elif what == "exec":
            container.signal(signal.SIGINT)  # what the level would have a shell in it do
            return self.send(201, {"Id": name})
        elif what == "json":
            code = container.exit_code()
            state = {
                "Running": code is None,
                "ExitCode": code or 0,
                "OOMKilled": self.server.out_of_memory,
            }
            return self.send(200, {"State": state})
        else:
            assert (what, query["force"], query["v"]) == ("remove", "True", "True")
            del self.server.containers[name]
            container.remove()
        self.send(204, None)

    def attach(self, container: Container, query: dict[str, str]) -> None:
        """Leave HTTP: from here on the connection carries the container's streams."""
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
        if "stdin" in query:
            assert "stdout" not in query
            container.feed(self.rfile)
        else:
            container.output = self.connection
            while self.rfile.read(1):  # until either side hangs up
                pass

    def send(self, status: int, value: Any) -> None:
        data = b"" if value is None else json.dumps(value).encode()
        with suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)


class DockerServer(ThreadingHTTPServer):
    """The engine: its containers, what it was asked to create, and how it is to fail."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.containers: dict[str, Container] = {}
        self.asked: list[dict[str, Any]] = []
        """The configuration of every container, in order."""
        self.images: dict[str, Any] = {"python:3.11-slim": {"Config": {}}}
        self.system = "linux"
        self.path = os.environ["PATH"]
        """Where programs are found."""
        self.warnings: list[str] = []
        self.refuses_start = ""
        self.out_of_memory = False
        self.dies_at = self.hangs_at = b"\0never"
        """A program's output upon which the engine dies, or answers no more."""
        self.hangs, self.awake = threading.Event(), threading.Event()
        self.connections: set[socket.socket] = set()
        self.url = f"tcp://127.0.0.1:{self.server_address[1]}"

    def listed(self, filters: dict[str, list[str]]) -> list[dict[str, Any]]:
        (label,) = filters["label"]
        labels = {name: c.configuration["Labels"] for name, c in self.containers.items()}
        return [{"Id": name, "Labels": has} for name, has in labels.items() if label in has]

    def heard(self, data: bytes) -> None:
        if self.dies_at in data:
            threading.Thread(target=self.die).start()
        if self.hangs_at in data:
            self.hangs.set()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # a caller that hung up is none
            super().handle_error(request, client_address)

    def die(self) -> None:
        """End as a process does that is killed: every connection breaks."""
        self.shutdown()
        self.server_close()
        for connection in self.connections:
            hang_up(connection)


def hang_up(connection: socket.socket | None) -> None:
    with suppress(OSError):
        if connection is not None:
            connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def serving() -> Iterator[DockerServer]:
    """Run a server until the end of the block; leave no child of it behind."""
    server = DockerServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.awake.set()
        server.die()
        thread.join()
        for container in server.containers.values():
            container.remove()


def eventually(holds: Callable[[], bool], within_s: float = 5.0) -> bool:
    """Wait until something holds; return whether it came to that."""
    deadline = time.monotonic() + within_s
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()


def python(source: str, **options: Any) -> Result:
    return run_python(source, level="docker", **options)


def shell(command: str, **options: Any) -> Result:
    return run_shell(command, level="docker", **options)
