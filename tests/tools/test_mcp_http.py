"""McpToolbox with a server that says too much over HTTP, without the SDK on the other side."""

import gzip
import json
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.tools import HttpServer, McpToolbox
from gem_gymnasium.tools.mcp_http import MAX_ANSWER_BYTES
from tests.tools.mcp_running import call, opened

NAMES = ("ok", "large", "huge", "endless", "bomb", "stream", "endless_stream", "refusal")


class Liar(BaseHTTPRequestHandler):
    """Says what it likes."""

    protocol_version = "HTTP/1.1"
    modes: tuple[str, ...] = ()

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        id, method = request.get("id"), request["method"]
        if method == "initialize":
            version = request["params"]["protocolVersion"]
            self.say(id, {"protocolVersion": version, "capabilities": {"tools": {}},
                          "serverInfo": {"name": "liar", "version": "1"}})  # fmt: skip
        elif method == "tools/list" and "endless" in self.modes:
            self.endless("application/json", b" ")
        elif method == "tools/list":
            schema: Any = {"type": "object", "properties": {}}
            self.say(id, {"tools": [{"name": name, "inputSchema": schema} for name in NAMES]})
        elif method == "tools/call":
            self.call(id, request["params"]["name"])
        elif id is None:
            self.send(202, b"")
        else:
            self.refuse(id, "unknown method")

    def call(self, id: Any, name: str) -> None:
        if name == "ok":
            self.text(id, "fine")
        elif name == "large":
            self.text(id, "x" * 1_000_000)
        elif name == "huge":
            self.text(id, "x" * MAX_ANSWER_BYTES)
        elif name == "bomb":
            self.text(id, "x" * 50_000_000, gzip.compress)
        elif name == "endless":
            self.endless("application/json", b" ")
        elif name == "stream":
            said = {"jsonrpc": "2.0", "id": id, "result": self.content("streamed")}
            body = f"event: message\ndata: {json.dumps(said)}\n\n".encode()
            self.send(200, body, "text/event-stream")
        elif name == "endless_stream":
            self.endless("text/event-stream", b": nothing\n\n")
        else:
            self.endless("application/json", b" ", 400)

    def text(self, id: Any, said: str, pack: Any = None) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": id, "result": self.content(said)}).encode()
        self.send(200, pack(body) if pack else body, encoding="gzip" if pack else "")

    def say(self, id: Any, result: Any) -> None:
        self.send(200, json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode())

    def refuse(self, id: Any, why: str) -> None:
        error = {"code": -32601, "message": why}
        self.send(200, json.dumps({"jsonrpc": "2.0", "id": id, "error": error}).encode())

    @staticmethod
    def content(said: str) -> Any:
        return {"content": [{"type": "text", "text": said}]}

    def send(
        self, status: int, body: bytes, kind: str = "application/json", encoding: str = ""
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.end_headers()
        self.wfile.write(body)

    def endless(self, kind: str, part: bytes, status: int = 200) -> None:
        part = part * (65_536 // len(part))
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(10**12))
        self.end_headers()
        while True:
            self.wfile.write(part)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over a client that went away."""


@contextmanager
def lying(*modes: str) -> Iterator[HttpServer]:
    handler = type("Handler", (Liar,), {"modes": modes})
    server = _Quiet(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield HttpServer(f"http://127.0.0.1:{server.server_address[1]}/mcp")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def box() -> Iterator[McpToolbox]:
    with lying() as server:
        yield McpToolbox({"liar": server}, connect_timeout_s=60.0)


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("huge", f"over {MAX_ANSWER_BYTES} bytes"), ("endless", f"over {MAX_ANSWER_BYTES} bytes"),
        ("bomb", "compressed"), ("endless_stream", "without a response"), ("refusal", "error"),
    ],
)  # fmt: skip
def test_an_answer_that_is_too_large_is_told_and_takes_no_memory(
    box: McpToolbox, tool: str, said: str
) -> None:
    with opened(box) as runner:
        assert call(runner, "ok").text == "fine"
        tracemalloc.start()
        start = time.monotonic()
        result = call(runner, tool)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert time.monotonic() - start < 10.0
        assert (result.ok, result.status) == (False, "error")
        assert said in result.text
        # What the server itself makes counts, too.
        assert peak < (200_000_000 if tool == "bomb" else 8 * MAX_ANSWER_BYTES)
        assert call(runner, "ok").text == "fine"


def test_what_is_within_bounds_is_read(box: McpToolbox) -> None:
    with opened(box) as runner:
        assert "[996000 characters left out]" in call(runner, "large").text
        assert call(runner, "stream").text == "streamed"


def test_a_list_of_tools_without_end_is_refused() -> None:
    with lying("endless") as server, pytest.raises(ConfigError, match="bytes"):
        McpToolbox({"liar": server}, connect_timeout_s=20.0)
