"""HTTP with a deadline, a size and a few retries, out of the standard library.

Covered: the deadline holds for everything together (retries, redirects, a server that drips bytes);
an answer has a greatest size; a request that a busy server or the network lost is made again, at
most twice; only http and https are spoken, also after a redirect. Not covered: the time that
looking up a host name takes.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Timer
from typing import Any, NamedTuple, cast
from urllib import request
from urllib.error import HTTPError

from gem_gymnasium.core.errors import BackendError, StepTimeout

MAX_BYTES = 4 * 2**20
"""Bytes of the largest answer that is read."""

_TRIES = 3
_PAUSE_S = 0.1
_BUSY = (429, 500, 502, 503, 504)
_HEADERS = {"User-Agent": "gem-gymnasium (Python-urllib)", "Accept-Encoding": "identity"}


class Reply(NamedTuple):
    """An answer: its status, the address it came from (after redirects), its body."""

    status: int
    url: str
    body: bytes


class _Lost(Exception):
    """A request that may well succeed the next time."""


class _Watchdog:
    """Ends, at the deadline, whatever waits for a socket of a request."""

    def __init__(self, left_s: float) -> None:
        self._sockets: list[socket.socket] = []
        self._over = False
        self._timer = Timer(left_s, self._bite)
        self._timer.daemon = True

    def __enter__(self) -> _Watchdog:
        self._timer.start()
        return self

    def __exit__(self, *args: object) -> None:
        self._timer.cancel()

    def watch(self, one: socket.socket) -> None:
        """Take a connected socket in."""
        self._sockets.append(one)
        if self._over:
            self._bite()

    def _bite(self) -> None:
        self._over = True
        for one in tuple(self._sockets):
            with suppress(OSError):  # closed already
                # Past SSLSocket's own method, which takes the session away from under its reader.
                socket.socket.shutdown(one, socket.SHUT_RDWR)


class _Connection(HTTPConnection):
    """A connection whose socket is watched."""

    def __init__(self, watchdog: _Watchdog, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._watchdog = watchdog

    def connect(self) -> None:
        """Connect."""
        super().connect()
        self._watchdog.watch(self.sock)


class _SecureConnection(HTTPSConnection):
    """The same over TLS."""

    def __init__(self, watchdog: _Watchdog, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._watchdog = watchdog

    def connect(self) -> None:
        """Connect."""
        super().connect()
        self._watchdog.watch(self.sock)


class _Handler(request.AbstractHTTPHandler):
    """Opens http and https with those connections."""

    def __init__(self, watchdog: _Watchdog) -> None:
        super().__init__()
        self._watchdog = watchdog

    http_request = https_request = request.AbstractHTTPHandler.do_request_

    def http_open(self, req: request.Request) -> HTTPResponse:
        """Open an http address."""
        return self.do_open(cast("Any", partial(_Connection, self._watchdog)), req)

    def https_open(self, req: request.Request) -> HTTPResponse:
        """Open an https address."""
        context = ssl.create_default_context()
        kind = partial(_SecureConnection, self._watchdog, context=context)
        return self.do_open(cast("Any", kind), req)


class _Redirects(request.HTTPRedirectHandler):
    """Follows redirects; what else their answers hold is not read, since it may have no end."""

    def redirect_request(
        self, req: request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> request.Request | None:
        """Return the request that a redirect asks for."""
        fp.read = _read_nothing
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _read_nothing(*_: int) -> bytes:
    return b""


def fetch(
    url: str,
    deadline: float,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    shown: str = "",
) -> Reply:
    """Get an address, or post to it; errors of the client (4xx) are answers, too.

    Args:
        url: An address of http or https.
        deadline: When to give up, by ``time.monotonic``.
        body: What to post, which may be done more than once; None to get. The answer to a post
            that asks to be made elsewhere is returned as it is.
        headers: What to send beside the usual ones.
        shown: What errors call the address; for one that holds a secret.

    Raises:
        StepTimeout: The answer was not complete by then.
        BackendError: There was no answer after all tries, or it is too large.
    """
    shown = shown or url
    one = request.Request(url, data=body, headers={**_HEADERS, **(headers or {})})
    lost: Exception = BackendError("never tried")
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(max(0.0, min(_PAUSE_S * 2**attempt, deadline - time.monotonic())))
        if time.monotonic() >= deadline:
            break
        try:
            return _fetch_once(one, deadline, shown)
        except _Lost as error:
            lost = error
    if time.monotonic() >= deadline:
        raise StepTimeout(f"{shown} did not answer in time") from lost
    raise BackendError(f"{shown}: {lost}") from lost


def _fetch_once(one: request.Request, deadline: float, shown: str) -> Reply:
    left_s = max(0.001, deadline - time.monotonic())
    with _Watchdog(left_s) as watchdog:
        opener = request.OpenerDirector()  # one that knows no file: and no ftp:
        for handler in (
            request.ProxyHandler(),
            *([_Redirects()] if one.data is None else []),  # a post may carry a secret
            request.HTTPDefaultErrorHandler(),
            request.HTTPErrorProcessor(),
            request.UnknownHandler(),
            _Handler(watchdog),
        ):
            opener.add_handler(handler)
        try:
            try:
                answer: Any = opener.open(one, timeout=left_s)
            except HTTPError as error:
                answer = error
            with answer:
                body: bytes = answer.read(MAX_BYTES + 1)
                length: str = answer.headers.get("Content-Length", "")
                status: int = answer.status
                final: str = answer.geturl()
        except (OSError, HTTPException, ValueError) as error:
            raise _Lost(f"{type(error).__name__}: {error}") from error
    if len(body) > MAX_BYTES:
        raise BackendError(f"{shown}: the answer is over {MAX_BYTES} bytes")
    cut = status == 200 and length.isdecimal() and len(body) < int(length[:18])
    if cut or time.monotonic() >= deadline:
        raise _Lost("the answer broke off")
    if status in _BUSY:
        raise _Lost(f"HTTP status {status}")
    return Reply(status, final, body)
