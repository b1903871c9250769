"""A small HTTP server on loopback that speaks as MediaWiki and kiwix-serve do, and misspeaks."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

ARTICLES: dict[str, tuple[str, list[str]]] = {
    "Philosophy": ("The study of general questions.", ["Logic", "Mind", "Ethic", "Red link"]),
    "Logic": ("The study of reasoning.", ["Mathematics", "Philosophy", "Café & AT&T"]),
    "Mind": ("That which thinks.", ["Logic", "Dead end"]),
    "Ethics": ("The study of what is right.", ["Philosophy"]),
    "Mathematics": ("The study of numbers.\n\nAnd more.", [f"Number {n}" for n in range(45)]),
    "Café & AT&T": ("A title with much in it.", ["Logic"]),
    "Dead end": ("Nothing leads on.", []),
    "Number 3": ("Three.", ["Mathematics", "Mind"]),
}
REDIRECTS = {"Ethic": "Ethics", "Philosophy of mind": "Mind"}
PER_REQUEST = 20
"""Links of one answer of the API; the rest must be asked for."""

LIMIT_S = 60
"""How long a server that drips goes on, should nobody hang up."""


class Handler(BaseHTTPRequestHandler):
    """Answers; the first part of the path says in what mood."""

    protocol_version = "HTTP/1.1"
    server: Any

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        url = urlsplit(self.path)
        mood, _, rest = url.path.lstrip("/").partition("/")
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if mood == "busy" and len(self.server.requests) < 3:
            return self.send(503, b"busy")
        if mood == "broken":
            return self.send(500, b"broken")
        if mood in ("drip", "dripping-headers"):
            return self.drip(mood)
        if mood == "big":
            return self.send(200, b"{" + b" " * (5 * 2**20))
        if mood == "short":
            return self.send(200, b'{"query": 1', length=1_000)
        if mood in self.server.answers:
            return self.send(200, self.server.answers[mood])
        if mood == "file":
            return self.send(302, b"", location="file:///etc/hostname")
        if mood == "endless":
            self.send(302, b"", length=10**12, location=self.path)
            return self.pour()
        if mood == "loop":
            return self.send(302, b"", location=self.path)
        if rest == "api.php":
            return self.send(200, json.dumps(self.server.wiki(query)).encode())
        return self.kiwix(f"/{rest}", query)

    def kiwix(self, path: str, query: dict[str, str]) -> None:
        """Answer as kiwix-serve does below the prefix /wiki."""
        if path == "/suggest":
            found = [t for t in ARTICLES if query["term"].casefold() in t.casefold()]
            entries = [
                {"value": escape(t), "label": t, "kind": "path", "path": t.replace(" ", "_")}
                for t in found[: int(query["count"])]
            ]
            assert query["content"] == "book"
            return self.send(200, json.dumps([*entries, {"kind": "pattern"}]).encode())
        for root in ("/content/book/", "/raw/book/content/"):
            if path.startswith(root):
                title = unquote(path[len(root) :]).replace("_", " ")
                if title in REDIRECTS:
                    target = quote(REDIRECTS[title].replace(" ", "_"))
                    return self.send(302, b"", location=f"/wiki{root}{target}")
                if title in ARTICLES:
                    return self.send(200, page_of(title).encode())
        return self.send(404, b"not found")

    def send(self, status: int, body: bytes, length: int = -1, location: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length < 0 else length))
        if location:
            self.send_header("Location", location)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def pour(self) -> None:
        """Send all that the other side takes."""
        end = time.monotonic() + LIMIT_S
        with suppress(OSError):
            while time.monotonic() < end:
                self.wfile.write(b"x" * 2**16)

    def drip(self, mood: str) -> None:
        """Send a byte now and then until the other side hangs up."""
        end = time.monotonic() + LIMIT_S
        self.wfile.write(
            b"HTTP/1.1 200 OK\r\nX: " if mood != "drip" else b"HTTP/1.1 200 OK\r\n\r\n"
        )
        try:
            while time.monotonic() < end:
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.05)
        except OSError:
            self.server.hung_up.set()
        self.close_connection = True


def page_of(title: str) -> str:
    """Return an article as kiwix-serve has it."""
    text, links = ARTICLES[title]
    anchors = [
        f'<a href="{"./" if n % 2 else "../book/"}{quote(link.replace(" ", "_"))}#top">{link}</a>'
        for n, link in enumerate(links)
    ]
    return f"""<!DOCTYPE html><html><head><title>{escape(title)}</title>
<style>p {{ color: red }}</style></head><body><!-- <a href="Comment">no</a> -->
<table><tr><td><p>An infobox.</p><a href="Infobox">no</a></td></tr></table>
<p> </p><p>{escape(text.split(chr(10))[0])}<sup><a href="#note">[1]</a></sup></p>
<p>{" ".join(anchors)}</p><a href="https://elsewhere.example/Logic">no</a>
<a href="/wiki/content/other/Logic">no</a><a href="_assets_/x.png">no</a><a>no</a>
<a href='File:Map.png'>no</a><footer><a href="Imprint">no</a></footer></body></html>"""


class WikiServer(ThreadingHTTPServer):
    """The server, with what it was asked, and canned answers by the first part of the path."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[str] = []
        self.answers: dict[str, bytes] = {}
        self.hung_up = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def wiki(self, query: dict[str, str]) -> dict[str, Any]:
        """Answer action=query&prop=links|extracts, format version 2."""
        assert query["action"] == "query"
        assert query["redirects"] == "1"
        title = query["titles"].replace("_", " ")
        title = title[:1].upper() + title[1:]
        title = REDIRECTS.get(title, title)
        if title.startswith("fr:"):
            return {"query": {"interwiki": [{"title": title, "iw": "fr"}]}}
        if "<" in title:
            return {"query": {"pages": [{"title": title, "invalid": True}]}}
        if title not in ARTICLES:
            return {"query": {"pages": [{"ns": 0, "title": title, "missing": True}]}}
        text, links = ARTICLES[title]
        first = int(query.get("plcontinue", "0"))
        page: dict[str, Any] = {"pageid": 1, "ns": 0, "title": title}
        page["links"] = [{"ns": 0, "title": t} for t in links[first : first + PER_REQUEST]]
        if not first:
            page["extract"] = text
        answer: dict[str, Any] = {"query": {"pages": [page]}}
        if first + PER_REQUEST < len(links):
            answer["continue"] = {"plcontinue": str(first + PER_REQUEST), "continue": "||extracts"}
        return answer


@contextmanager
def serving() -> Iterator[WikiServer]:
    """Run a server for the time of a with block."""
    server = WikiServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
