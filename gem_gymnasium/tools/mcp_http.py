"""The streamable HTTP transport of an MCP client, for servers that nobody trusts to behave.

It is the SDK's own, with a bound that this leaves out.

Covered: an answer is at most ``MAX_ANSWER_BYTES`` before it is in memory, and not compressed (a
small answer could be a large one then). Of a stream of events all of them count together, and one
alone may be no larger than the SDK allows.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from gem_gymnasium.tools.mcp_servers import HttpServer

MAX_ANSWER_BYTES = 4 * 2**20


@asynccontextmanager
async def http_transport(server: HttpServer) -> AsyncGenerator[Any]:
    """Yield the two streams that the SDK's client reads and writes."""
    http = create_mcp_http_client(headers=dict(server.headers))
    http.headers["Accept-Encoding"] = "identity"
    http.event_hooks = {"response": [_bound]}
    async with http, streamable_http_client(server.url, http_client=http) as streams:
        yield streams


async def _bound(response: httpx2.Response) -> None:
    """Bound what will be read of an answer, of which the head is there."""
    encoding = response.headers.get("Content-Encoding", "identity")
    response.stream = _Bounded(response.stream, encoding.strip().lower() != "identity")


class _Bounded(httpx2.AsyncByteStream):
    """What a server answers, as far as it may; the SDK tells a StreamError to who asked."""

    def __init__(self, stream: Any, is_compressed: bool) -> None:
        self._stream, self._is_compressed = stream, is_compressed

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        if self._is_compressed:
            raise httpx2.StreamError("the answer is compressed, which was not asked for")
        left = MAX_ANSWER_BYTES
        async for part in self._stream:
            left -= len(part)
            if left < 0:
                raise httpx2.StreamError(f"the answer is over {MAX_ANSWER_BYTES} bytes")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
