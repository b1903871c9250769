"""The stdio transport of an MCP client, for servers that nobody trusts to behave.

It speaks to the SDK's client as the SDK's own transport does, and bounds what that leaves open.

Covered: a line is at most ``MAX_LINE_BYTES`` (the SDK reads one without an end for ever); lines
that are no JSON-RPC are passed over, up to ``MAX_GARBAGE_LINES``; what the server writes to stderr
is read, and its end kept for errors; the whole process group is killed, ``GRACE_S`` after its
standard input was closed. Not covered: a process that leaves the group.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from gem_gymnasium.core.parsing import replace_surrogates
from gem_gymnasium.tools.mcp_servers import StdioServer

MAX_LINE_BYTES = 4 * 2**20
MAX_GARBAGE_LINES = 1_000
GRACE_S = 1.0

_KEPT_BYTES = 2_000
_POLL_S = 0.01
_CHUNK = 65_536


class Tail:
    """The end of what a server wrote to stderr."""

    def __init__(self) -> None:
        self._kept = b""

    def add(self, data: bytes) -> None:
        """Take in what was read."""
        self._kept = (self._kept + data)[-_KEPT_BYTES:]

    def __str__(self) -> str:
        return " ".join(self._kept.decode("utf-8", "replace").split())


@asynccontextmanager
async def stdio_transport(server: StdioServer, tail: Tail) -> AsyncGenerator[Any]:
    """Start a server, and yield the two streams that the SDK's client reads and writes.

    Raises:
        OSError: The program cannot be started.
    """
    import anyio
    from mcp.client.stdio import get_default_environment

    process = await asyncio.create_subprocess_exec(
        *server.command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**get_default_environment(), **server.env},
        cwd=server.cwd,
        limit=MAX_LINE_BYTES,
        start_new_session=True,
    )
    read_writer, read = anyio.create_memory_object_stream[Any](0)
    write, write_reader = anyio.create_memory_object_stream[Any](0)
    tasks = [
        asyncio.ensure_future(_read(process, read_writer)),
        asyncio.ensure_future(_write(process, write_reader, read_writer)),
        asyncio.ensure_future(_watch_errors(process, tail)),
    ]
    try:
        yield read, write
    finally:
        # A cancelled caller must not leave the process behind.
        await asyncio.shield(_end(process, tasks))
        for stream in (read, write, read_writer, write_reader):
            stream.close()


async def _read(process: asyncio.subprocess.Process, out: Any) -> None:
    """Pass on what the server says, a message a line, until it ends or says too much."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    assert process.stdout is not None
    garbage = 0
    with out, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while garbage <= MAX_GARBAGE_LINES:
            try:
                line = await process.stdout.readuntil(b"\n")
            except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
                return
            try:
                message = jsonrpc_message_adapter.validate_json(_mended(line), by_name=False)
            except (ValueError, RecursionError):
                garbage += 1
                continue
            await out.send(SessionMessage(message))


def _mended(line: bytes) -> bytes:
    """Replace lone surrogates, which JSON may escape but no encoding takes."""
    if b"\\u" not in line:
        return line
    return replace_surrogates(json.dumps(json.loads(line), ensure_ascii=False)).encode()


async def _write(process: asyncio.subprocess.Process, messages: Any, out: Any) -> None:
    """Pass on what the client says."""
    assert process.stdin is not None
    try:
        async for one in messages:
            said = one.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(f"{said}\n".encode())
            await process.stdin.drain()
    except (OSError, RuntimeError):
        out.close()  # else the client would wait for an answer


async def _watch_errors(process: asyncio.subprocess.Process, tail: Tail) -> None:
    assert process.stderr is not None
    while data := await process.stderr.read(_CHUNK):
        tail.add(data)


async def _end(process: asyncio.subprocess.Process, tasks: Sequence[asyncio.Future[None]]) -> None:
    """Close the server's input, give it a moment, and kill what is left of it."""
    assert process.stdin is not None
    with suppress(OSError, RuntimeError):
        process.stdin.close()
    loop = asyncio.get_running_loop()
    deadline = loop.time() + GRACE_S
    # Not wait(): that waits for the pipes too, which a child of the server may hold.
    while process.returncode is None and loop.time() < deadline:
        await asyncio.sleep(_POLL_S)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    deadline = loop.time() + GRACE_S
    while process.returncode is None and loop.time() < deadline:
        await asyncio.sleep(_POLL_S)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    transport: Any = getattr(process, "_transport", None)
    if transport is not None:  # nothing public closes the pipes that a survivor holds
        transport.close()
