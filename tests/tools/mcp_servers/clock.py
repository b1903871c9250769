"""A time server, over either transport: ``clock.py`` or ``clock.py http``."""

import asyncio
import datetime
import sys

import uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("clock", log_level="ERROR")
calls = 0


@server.tool()
def days_in_month(year: int, month: int) -> int:
    """Return the number of days of a month."""
    start = datetime.date(year, month, 1)
    return ((start + datetime.timedelta(days=31)).replace(day=1) - start).days


@server.tool()
def count() -> int:
    """Return how often this was called."""
    global calls
    calls += 1
    return calls


async def serve() -> None:
    app = server.streamable_http_app()
    config = uvicorn.Config(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
    instance = uvicorn.Server(config)
    task = asyncio.create_task(instance.serve())
    while not instance.started:
        await asyncio.sleep(0.01)
    sys.stdout.write(f"http://127.0.0.1:{instance.servers[0].sockets[0].getsockname()[1]}/mcp\n")
    sys.stdout.flush()
    await task


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        asyncio.run(serve())
    else:
        server.run()
