"""MCP servers for tests: where their programs are, and one over HTTP that can be killed."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from gem_gymnasium.tools import Call, McpToolbox, Runner, StdioServer, ToolResult

HERE = Path(__file__).parent / "mcp_servers"


def stdio(name: str, *arguments: str) -> StdioServer:
    """Return a server of the folder ``mcp_servers``."""
    return StdioServer((sys.executable, str(HERE / f"{name}.py"), *arguments))


def sqlite(path: Path) -> StdioServer:
    """Return the package's SQLite server."""
    root = str(Path(__file__).parents[2])
    command = (sys.executable, "-m", "gem_gymnasium.tools.sqlite_server", str(path))
    return StdioServer(command, env={"PYTHONPATH": root})


class HttpClock:
    """The time server over HTTP."""

    def __init__(self, port: str = "0") -> None:
        command = [sys.executable, str(HERE / "clock.py"), "http", port]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        self.port = self.url.split(":")[2].partition("/")[0]

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def http_clock() -> Iterator[HttpClock]:
    """Serve while the block runs."""
    clock = HttpClock()
    try:
        yield clock
    finally:
        clock.kill()


@contextmanager
def opened(box: McpToolbox) -> Iterator[Runner]:
    """Return the runner of an env, closed in the end."""
    runner = box.open()
    try:
        yield runner
    finally:
        runner.close()


def call(runner: Runner, tool: str, seconds: float = 30.0, /, **arguments: Any) -> ToolResult:
    """Call a tool."""
    return runner.run(Call(0, 1, tool, arguments), time.monotonic() + seconds)


def children() -> set[int]:
    """Return the processes below this one that live."""
    return {
        child.pid
        for child in psutil.Process().children(recursive=True)
        if child.is_running() and child.status() != psutil.STATUS_ZOMBIE
    }


def settled(count: Any, most: int, seconds: float = 10.0) -> int:
    """Return a count once it has fallen to ``most``, or what it is in the end."""
    deadline = time.monotonic() + seconds
    while (now := count()) > most and time.monotonic() < deadline:
        time.sleep(0.05)
    return now
