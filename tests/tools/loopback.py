"""An HTTP server on loopback that answers as a test tells it to, and notes what it is asked."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """A request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Loopback(ThreadingHTTPServer):
    """The server; ``answer`` returns the status and the body of what it is given the server for."""

    daemon_threads = True

    def __init__(self, answer: Callable[["Loopback"], tuple[int, bytes]]) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self.closing = threading.Event()
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/retrieve"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over a client that went away."""


class _Handler(BaseHTTPRequestHandler):
    server: Loopback

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append(Asked(self.command, self.path, headers, body))
        status, said = self.server.answer(self.server)
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", self.server.url)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def serving(answer: Callable[[Loopback], tuple[int, bytes]]) -> Iterator[Loopback]:
    """Serve while the block runs."""
    server = Loopback(answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def answering(answer: Callable[[Loopback], tuple[int, bytes]]) -> Iterator[str]:
    """Serve while the block runs; gives the address."""
    with serving(answer) as server:
        yield server.url
