"""SearchServer: any retriever as an HTTP server, in Search-R1's wire format and in GEM's."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from gem_gymnasium.core.errors import (
    ConfigError,
    MachineryError,
    MissingDependency,
    StepTimeout,
)
from gem_gymnasium.tools.search_base import Retriever
from gem_gymnasium.tools.search_wire import answer_of, read_request

MAX_BODY_BYTES = 2**20
"""Bytes of the largest request."""

MAX_HITS = 500
"""Passages that a request may ask for, over all of its queries."""

MAX_TEXT_CHARS = 8_000
"""Characters of a passage that are sent."""

MAX_CONNECTIONS = 256
"""Connections at a time; one more is told to come again."""

MAX_DISCARDED_BYTES = 8 * MAX_BODY_BYTES
"""Bytes of a refused request that are read and thrown away, so that its client hears why."""

_CHECK_S = 0.25


class SearchServer:
    """Serve a retriever: ``POST /retrieve``; ``GET /health`` says that it is there.

    Covered: a request must come whole within ``timeout_s`` and be of bounded size, a search has
    ``timeout_s``, a connection that idles longer is closed, there are at most ``MAX_CONNECTIONS``.
    Not covered: there is no encryption and no log-in; serve on loopback or a network of your own.

    Args:
        retriever: What to serve; it is not closed.
        host: The address to listen on.
        port: The port; 0 for a free one.
        timeout_s: Seconds for reading a request, for a search, and for writing the answer.

    Raises:
        ConfigError: The address cannot be listened on.
    """

    def __init__(
        self,
        retriever: Retriever,
        host: str = "127.0.0.1",
        port: int = 8000,
        timeout_s: float = 10.0,
    ) -> None:
        if not timeout_s > 0:
            raise ConfigError(f"timeout_s must be above 0, got {timeout_s}")
        try:
            self._server = _Server((host, port), retriever, timeout_s)
        except (OSError, OverflowError) as error:
            raise ConfigError(f"cannot listen on {host}:{port}: {error}") from error
        self._thread: threading.Thread | None = None
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self._server.server_address[1]}/retrieve"

    def start(self) -> SearchServer:
        """Serve in a thread of its own until ``close``."""
        self._thread = threading.Thread(target=self.serve, name="search server", daemon=True)
        self._thread.start()
        return self

    def serve(self) -> None:
        """Serve until ``close``, or an exception such as KeyboardInterrupt."""
        self._server.serve_forever(_CHECK_S)

    def close(self) -> None:
        """End every connection and stop listening; may be called again."""
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._thread = None
        self._server.server_close()

    def __enter__(self) -> SearchServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    """Counts connections, and ends those whose time is up."""

    daemon_threads = True
    request_queue_size = MAX_CONNECTIONS

    def __init__(self, address: tuple[str, int], retriever: Retriever, timeout_s: float) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.retriever, self.timeout_s = retriever, timeout_s
        self.deadlines: dict[socket.socket, float] = {}
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, if there may be one more."""
        if len(self.deadlines) >= MAX_CONNECTIONS:
            with suppress(OSError):
                request.settimeout(1.0)
                request.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
            self.shutdown_request(request)
            return
        self.deadlines[request] = time.monotonic() + self.timeout_s
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        self.deadlines.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """End what takes too long; called a few times a second."""
        now = time.monotonic()
        for connection, deadline in list(self.deadlines.items()):
            if now > deadline:
                _shut(connection)

    def server_close(self) -> None:
        """Stop listening, and end every connection."""
        for connection in list(self.deadlines):
            _shut(connection)
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over a connection that broke; its client knows."""


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet
    disable_nagle_algorithm = True
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride] # it is ours

    def do_GET(self) -> None:
        """Say that the server is there."""
        if self.path == "/health":
            self._send(200, b'{"status": "ok"}')
        else:
            self._refuse(404, "post to /retrieve, or get /health")

    def do_POST(self) -> None:
        """Search."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > 18:
            return self._refuse_unread(411, "the request has no Content-Length")
        if int(length) > MAX_BODY_BYTES:
            return self._refuse_unread(413, f"a request is at most {MAX_BODY_BYTES} bytes")
        body = self.rfile.read(int(length))
        if self.path.rstrip("/") != "/retrieve":
            return self._refuse(404, "post to /retrieve")
        try:
            asked = read_request(body)
            if asked.each * len(asked.queries) > MAX_HITS:
                raise ValueError(f"a request may ask for at most {MAX_HITS} passages")
        except (ValueError, MissingDependency) as error:
            return self._refuse(400, str(error))
        deadline = time.monotonic() + self.server.timeout_s
        # The client has until then to read the answer, too.
        self.server.deadlines[self.connection] = deadline + self.server.timeout_s
        try:
            found = self.server.retriever.search(asked.queries, asked.each, deadline)
        except StepTimeout as error:
            return self._refuse(504, str(error))
        except MachineryError as error:
            return self._refuse(503, str(error))
        return self._send(200, *answer_of(asked, found, MAX_TEXT_CHARS))

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: a line a query would fill a disk."""

    def _refuse(self, status: int, why: str) -> None:
        self._send(status, json.dumps({"error": why}).encode())

    def _refuse_unread(self, status: int, why: str) -> None:
        """Refuse a request whose body is not read, and end the connection.

        Closed with bytes unread, it would be reset, and the client might never see the answer.
        """
        self.close_connection = True
        self._refuse(status, why)
        self.connection.shutdown(socket.SHUT_WR)
        discarded = 0
        while discarded < MAX_DISCARDED_BYTES and (more := self.connection.recv(65_536)):
            discarded += len(more)

    def _send(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        # As long again until the next request is whole.
        self.server.deadlines[self.connection] = time.monotonic() + self.server.timeout_s
