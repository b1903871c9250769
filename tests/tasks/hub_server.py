"""A hub on this machine, as much of it as ``datasets`` asks for: one repository, one revision."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "c0ffee" + "0" * 34


class Hub:
    """A data set repository and the requests that were made for it."""

    def __init__(self, repo: str, files: dict[str, bytes]) -> None:
        self.repo, self.files = repo, files
        self.requests: list[str] = []

    def answer(self, path: str) -> tuple[int, Any]:
        """Return status and body (JSON-able, or the bytes of a file)."""
        api = f"/api/datasets/{self.repo}"
        if path.startswith(f"/datasets/{self.repo}/resolve/"):
            name = path.split("/resolve/", 1)[1].split("/", 1)[1]
            return (200, self.files[name]) if name in self.files else (404, {})
        if path in (api, f"{api}/revision/main", f"{api}/revision/{COMMIT}"):
            siblings = [{"rfilename": name} for name in self.files]
            return 200, {"id": self.repo, "sha": COMMIT, "siblings": siblings, "private": False}
        if path.startswith(f"{api}/tree/"):
            below = path.removeprefix(f"{api}/tree/").partition("/")[2]
            return 200, self.tree(below)
        if path.startswith(f"{api}/paths-info/"):
            return 200, self.tree("")
        return 404, {}

    def tree(self, below: str) -> list[dict[str, Any]]:
        """Return the files below a folder."""
        return [
            {"type": "file", "path": name, "size": len(data), "oid": etag(data)}
            for name, data in self.files.items()
            if not below or name.startswith(f"{below}/")
        ]


def etag(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


@contextmanager
def serving(hub: Hub) -> Iterator[str]:
    """Serve a hub; yield its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def respond(self, with_body: bool) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            self.rfile.read(length)
            path = unquote(urlsplit(self.path).path)
            hub.requests.append(f"{self.command} {path}")
            status, body = hub.answer(path)
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            if status == 404:
                missing = "EntryNotFound" if "/resolve/" in path else "RepoNotFound"
                self.send_header("X-Error-Code", missing)
            if isinstance(body, bytes):
                self.send_header("ETag", f'"{etag(data)}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if with_body:
                self.wfile.write(data)

        def do_GET(self) -> None:
            self.respond(True)

        def do_POST(self) -> None:
            self.respond(True)

        def do_HEAD(self) -> None:
            self.respond(False)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
