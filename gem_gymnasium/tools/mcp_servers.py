"""Where MCP servers are: StdioServer and HttpServer, and the file that many programs share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from gem_gymnasium.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class StdioServer:
    """A server that is a program, spoken to over its standard streams.

    Every env starts one of its own. It is no sandbox: the program runs as you do.

    Args:
        command: The program and its arguments.
        env: Environment variables beside a few safe ones (``PATH``, ``HOME``, ...).
        cwd: The folder it runs in.

    Raises:
        ConfigError: There is no command, or it is one text.
    """

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.command, str | bytes):
            raise ConfigError(
                "command must be a sequence, a program and its arguments one by one, such as "
                f'("npx", "-y", "name"), got the text {self.command!r}'
            )
        object.__setattr__(self, "command", tuple(self.command))
        if not self.command or not all(isinstance(part, str) for part in self.command):  # pyright: ignore[reportUnnecessaryIsInstance] # users err
            raise ConfigError(f"command must be a program and its arguments, got {self.command!r}")


@dataclass(frozen=True, slots=True)
class HttpServer:
    """A server at an address, spoken to over streamable HTTP; every env has a session of its own.

    Args:
        url: The address, such as ``http://127.0.0.1:8000/mcp``.
        headers: Sent with every request, such as an ``Authorization``.

    Raises:
        ConfigError: The address is not of http or https.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise ConfigError(f"url must be of http or https, got {self.url!r}")


Server = StdioServer | HttpServer


def read_servers(path: str | Path) -> dict[str, Server]:
    """Return the servers of a file ``{"mcpServers": {"name": {...}, ...}}``.

    An entry has ``command``, and maybe ``args``, ``env`` and ``cwd``; or ``url``, and maybe
    ``headers``.

    Raises:
        ConfigError: The file cannot be read, or says something else.
    """
    try:
        document: Any = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    entries = cast("Any", document).get("mcpServers") if isinstance(document, dict) else None
    if not isinstance(entries, dict) or not entries:
        raise ConfigError(f'{path} must be {{"mcpServers": {{"name": {{...}}}}}}')
    return {
        name: _server(entry, f"{path}: {name!r}")
        for name, entry in cast("dict[str, Any]", entries).items()
    }


def _server(entry: Any, where: str) -> Server:
    found = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    kinds: dict[str, type] = {"command": str, "args": list, "env": dict, "cwd": str}
    if "url" in found:
        kinds = {"url": str, "headers": dict, "type": str}
    elif "type" in found:
        kinds["type"] = str
    for key, value in found.items():
        if key not in kinds or not isinstance(value, kinds[key]):
            raise ConfigError(f"{where}: {key!r} is unknown, or no {kinds.get(key, str).__name__}")
    if "url" in found:
        return HttpServer(found["url"], found.get("headers", {}))
    if "command" not in found:
        raise ConfigError(f"{where} needs a command or a url")
    command = (found["command"], *map(str, found.get("args", ())))
    return StdioServer(command, found.get("env", {}), found.get("cwd"))
