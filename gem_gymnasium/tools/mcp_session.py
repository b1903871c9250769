"""McpSession: one connection to an MCP server, for callers that know nothing of asyncio.

All sessions of a process share one thread with an event loop. A session is a task there, which
opens the SDK's client, keeps it open, and closes it; calls are coroutines beside it.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import time
import weakref
from collections.abc import AsyncGenerator, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any, TypeVar

from gem_gymnasium.core.errors import MissingDependency
from gem_gymnasium.core.parsing import echo, replace_surrogates
from gem_gymnasium.tools.mcp_servers import HttpServer, Server
from gem_gymnasium.tools.mcp_stdio import Tail, stdio_transport

T = TypeVar("T")

MAX_TOOLS = 1_000
"""Tools of one server that are listed."""

_MAX_ERROR_CHARS = 500
_CLOSE_S = 5.0
_SLACK_S = 0.5
_LOST = "Connection closed"

_sessions: weakref.WeakSet[McpSession] = weakref.WeakSet()


class Gone(Exception):
    """The connection is lost, or was never there; says why."""


class Refused(Exception):
    """The server answered with an error; says which."""


class _Loop:
    """The thread with the event loop."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="MCP clients", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()


_lock = threading.Lock()
_loops: list[_Loop] = []


def _loop() -> asyncio.AbstractEventLoop:
    """Return the loop of this process, started when it is first needed."""
    with _lock:
        if not _loops or _loops[-1].pid != os.getpid():  # after a fork its thread is gone
            _loops[:] = [_Loop()]
        return _loops[-1].loop


@atexit.register
def _close_all() -> None:
    """Leave no server behind when the process ends."""
    for session in list(_sessions):
        session.close()


def require_sdk() -> None:
    """Say what to install where the SDK is not.

    Raises:
        MissingDependency: It is not installed.
    """
    if find_spec("mcp") is None:
        raise MissingDependency("mcp", "tools", "an MCP server")


class McpSession:
    """A connection that is open from construction until ``close``.

    Args:
        server: Where to connect.
        deadline: When it must be open, on the clock of ``time.monotonic()``.

    Raises:
        Gone: There is no server, or it did not answer as one in time.
    """

    def __init__(self, server: Server, deadline: float) -> None:
        self._server, self._tail = server, Tail()
        self._pid = os.getpid()
        self._client: Any = None
        self._opened: Future[None] = Future()
        self._ended = threading.Event()
        self._loop = _loop()
        self._stop = asyncio.Event()
        self._task = asyncio.run_coroutine_threadsafe(self._live(), self._loop)
        _sessions.add(self)
        try:
            self._opened.result(max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            self.close()
            raise Gone(f"it did not answer in time{self._said()}") from None
        except Exception as error:
            self.close()
            raise Gone(f"{_short(error)}{self._said()}") from error
        except BaseException:
            self.close()
            raise

    async def _live(self) -> None:
        """Open the client, keep it, close it: all in one task, as the SDK wants it."""
        from mcp import Client

        try:
            async with Client(self._transport(), cache=None) as client:
                self._client = client
                self._opened.set_result(None)
                await self._stop.wait()
        except BaseException as error:
            if not self._opened.done():
                self._opened.set_exception(_leaf(error))
        finally:
            if not self._opened.done():
                self._opened.set_exception(Gone("it was closed"))
            self._client = None
            self._ended.set()

    @asynccontextmanager
    async def _transport(self) -> AsyncGenerator[Any]:
        if not isinstance(self._server, HttpServer):
            async with stdio_transport(self._server, self._tail) as streams:
                yield streams
            return
        from gem_gymnasium.tools.mcp_http import http_transport  # it imports the SDK

        async with http_transport(self._server) as streams:
            yield streams

    def tools(self, deadline: float) -> list[Any]:
        """Return the tools that the server lists, as the SDK describes them.

        Raises:
            Gone: The connection is lost.
            Refused: The server answered with an error.
            TimeoutError: It did not answer in time.
        """
        return self._do(self._list_tools, deadline)

    async def _list_tools(self) -> list[Any]:
        found: list[Any] = []
        cursor: str | None = None
        while len(found) < MAX_TOOLS:
            page = await self._client.list_tools(cursor=cursor)
            found += page.tools
            cursor = page.next_cursor
            if not cursor or not page.tools:
                break
        return found[:MAX_TOOLS]

    def call(self, name: str, arguments: dict[str, Any], deadline: float) -> Any:
        """Call a tool, and return the SDK's result.

        Raises:
            Gone: The connection was lost.
            Refused: The server answered with an error, or with what is no result.
            TimeoutError: It did not answer in time.
        """
        return self._do(lambda: self._client.call_tool(name, arguments), deadline)

    def _do(self, make: Any, deadline: float) -> Any:
        if self._pid != os.getpid() or self._client is None:
            raise Gone(f"it is closed{self._said()}")
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError

        async def bounded() -> Any:
            return await asyncio.wait_for(make(), left)

        waiting = asyncio.run_coroutine_threadsafe(_checked(bounded()), self._loop)
        try:
            return waiting.result(left + _SLACK_S)
        except TimeoutError:
            waiting.cancel()
            raise
        except CancelledError:
            raise Gone(f"it was closed{self._said()}") from None
        except Gone as error:
            raise Gone(f"{error}{self._said()}") from error

    def close(self, wait: bool = True) -> None:
        """Close the connection, and end the server if it is a program; may be called again.

        Args:
            wait: Whether to wait until that is done, which takes some seconds at most.
        """
        _sessions.discard(self)
        if self._pid != os.getpid() or self._ended.is_set():
            return
        self._loop.call_soon_threadsafe(self._stop.set)
        if not wait:
            return
        # A client that has not been opened yet does not wait for ``_stop``.
        if not self._opened.done() or not self._ended.wait(_CLOSE_S):
            self._task.cancel()
            self._ended.wait(_CLOSE_S)

    def _said(self) -> str:
        said = replace_surrogates(echo(str(self._tail), _MAX_ERROR_CHARS))
        return f" (it wrote: {said})" if said else ""


async def _checked(call: Coroutine[Any, Any, T]) -> T:
    """Sort the ways in which a call can fail."""
    from mcp import MCPError
    from mcp_types import CONNECTION_CLOSED

    try:
        return await call
    except (TimeoutError, asyncio.CancelledError):
        raise
    except MCPError as error:
        # The code alone is what many servers send with errors of their own.
        lost = (error.error.code, error.error.message) == (CONNECTION_CLOSED, _LOST)
        raise (Gone if lost else Refused)(_short(error)) from error
    except (ValueError, RuntimeError) as error:  # pydantic's too: what came is no result
        why = f"the server's answer breaks its own rules: {_short(error)}"
        raise Refused(why) from error
    except Exception as error:
        raise Gone(_short(_leaf(error))) from error


def _short(error: BaseException) -> str:
    """Return what an error says, which may be what a server says."""
    said = " ".join(str(error).split()) or type(error).__name__
    return replace_surrogates(echo(said, _MAX_ERROR_CHARS))


def _leaf(error: BaseException) -> BaseException:
    """Return the first error in groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if isinstance(error, asyncio.CancelledError):
        return Gone("it was closed")
    return error  # pyright: ignore[reportUnknownVariableType]
