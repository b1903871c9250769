"""Tools by name, as a command line or a configuration file gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.tools.base import Tool
from gem_gymnasium.tools.python import PythonTool
from gem_gymnasium.tools.search import SearchTool


class Named(NamedTuple):
    """How a tool is made of its name, and what may stand behind the colon."""

    make: Callable[[str], Tool]
    argument: str = ""
    """What it is; ``""``: there is none."""


def _python(argument: str) -> Tool:
    return PythonTool()


def _search(argument: str) -> Tool:
    return SearchTool(retriever=argument or "sample")


TOOLS: Mapping[str, Named] = {
    "python": Named(_python),
    "search": Named(_search, "where to search, as in search:wiki"),
}
"""The tools that a name makes."""


def check_tool_name(name: str) -> None:
    """Refuse a name that makes no tool, without making one.

    Raises:
        UnknownName: There is no such tool.
        ConfigError: The tool takes no argument.
    """
    kind, colon, _ = name.partition(":")
    if kind not in TOOLS:
        raise UnknownName("tool", kind, TOOLS)
    if colon and not TOOLS[kind].argument:
        raise ConfigError(f"the tool {kind!r} takes no argument, got {name!r}")


def tool_of(name: str) -> Tool:
    """Return the tool that a name means: ``python``, ``search`` or ``search:wiki``.

    What may stand behind ``search:``: see :func:`~gem_gymnasium.tools.retriever_of`.

    Raises:
        UnknownName: There is no such tool, or nothing of that name to search.
        ConfigError: The tool takes no argument, or cannot be made.
        MissingDependency: The tool lacks a package.
    """
    check_tool_name(name)
    kind, _, argument = name.partition(":")
    return TOOLS[kind].make(argument)
