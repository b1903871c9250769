"""Tools that a model calls in its replies; ``wrappers.ToolUse`` gives them to any text env."""

from collections.abc import Callable, Mapping

from gem_gymnasium.tools.base import Call, Runner, Tool, ToolResult
from gem_gymnasium.tools.calls import find_call
from gem_gymnasium.tools.python import PythonTool

TOOLS: Mapping[str, Callable[[], Tool]] = {"python": PythonTool}
"""The tools that need no arguments, by name."""

__all__ = ["TOOLS", "Call", "PythonTool", "Runner", "Tool", "ToolResult", "find_call"]
