"""Tools by name, as a command line or a configuration file gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.tools.base import Tool, Toolbox
from gem_gymnasium.tools.mcp import McpToolbox
from gem_gymnasium.tools.mcp_servers import HttpServer
from gem_gymnasium.tools.python import PythonTool
from gem_gymnasium.tools.search import SearchTool


class Named(NamedTuple):
    """How a tool is made of its name, and what may stand behind the colon."""

    make: Callable[[str], Tool | Toolbox]
    argument: str = ""
    """What it is; ``""``: there is none."""


def _python(argument: str) -> Tool:
    return PythonTool()


def _search(argument: str) -> Tool:
    return SearchTool(retriever=argument or "sample")


def _mcp(argument: str) -> Toolbox:
    if argument.startswith(("http://", "https://")):
        return McpToolbox({"server": HttpServer(argument)})
    return McpToolbox(argument)


TOOLS: Mapping[str, Named] = {
    "python": Named(_python),
    "mcp": Named(_mcp, "a file of servers or an address, as in mcp:servers.json"),
    "search": Named(_search, "where to search, as in search:wiki"),
}
"""The tools that a name makes."""


def check_tool_name(name: str) -> None:
    """Refuse a name that makes no tool, without making one.

    Raises:
        UnknownName: There is no such tool.
        ConfigError: The tool takes no argument.
    """
    kind, colon, argument = name.partition(":")
    if kind not in TOOLS:
        raise UnknownName("tool", kind, TOOLS)
    if colon and not TOOLS[kind].argument:
        raise ConfigError(f"the tool {kind!r} takes no argument, got {name!r}")
    if kind == "mcp" and not argument:
        raise ConfigError(f"the tool 'mcp' needs {TOOLS[kind].argument}")


def tool_of(name: str) -> Tool | Toolbox:
    """Return what a name means: ``python``, ``search``, ``search:wiki``, ``mcp:servers.json``.

    What may stand behind ``search:``: see :func:`~gem_gymnasium.tools.retriever_of`; behind
    ``mcp:``: see :func:`~gem_gymnasium.tools.read_servers`, or an address.

    Raises:
        UnknownName: There is no such tool, or nothing of that name to search.
        ConfigError: The tool takes no argument, or cannot be made.
        MissingDependency: The tool lacks a package.
    """
    check_tool_name(name)
    kind, _, argument = name.partition(":")
    return TOOLS[kind].make(argument)
