"""Small tools for tests: they say what they were asked, fail when told to, and keep count."""

import threading
from typing import Any

from gem_gymnasium.core.errors import StepTimeout, ToolFailure
from gem_gymnasium.tools import Call, Runner, Tool, ToolResult


class Add(Tool):
    """Adds two integers."""

    name = "add"
    description = "Add two integers."
    parameters = {  # noqa: RUF012
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }

    def run(self, call: Call, deadline: float) -> ToolResult:
        return ToolResult(True, str(call.arguments["a"] + call.arguments["b"]))


class Look(Tool):
    """Looks a word up, called by ``<look>word</look>`` too; fails as it is told to."""

    name = "look"
    description = "Look a word up."
    parameters = {  # noqa: RUF012
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
    }

    def __init__(self) -> None:
        self.deadlines: list[float] = []

    def instructions(self) -> str:
        return "look: Look a word up, as <look>word</look>."

    def find_call(self, reply: str) -> Call | None:
        start = reply.find("<look>")
        end = reply.find("</look>", start)
        if start < 0 or end < 0:
            return None
        return Call(start, end + 7, self.name, {"word": reply[start + 6 : end]})

    def run(self, call: Call, deadline: float) -> ToolResult:
        self.deadlines.append(deadline)
        word = call.arguments["word"]
        if word == "break":
            raise ToolFailure("the index is gone")
        if word == "hang":
            raise StepTimeout("the index did not answer")
        if word == "missing":
            return ToolResult(False, "There is no such word.", "error")
        return ToolResult(True, f"{word} is a word.", level="somewhere")


class Tally(Tool):
    """Counts its calls of an episode; its runners say when they are closed."""

    name = "tally"
    description = "Count."
    parameters = {"type": "object", "properties": {}}  # noqa: RUF012

    def __init__(self) -> None:
        self.opened = self.closed = 0
        self._lock = threading.Lock()

    def count(self, what: str) -> None:
        with self._lock:
            setattr(self, what, getattr(self, what) + 1)

    def run(self, call: Call, deadline: float) -> ToolResult:
        raise AssertionError("a tool with state is run by its runners")

    def episode(self) -> Runner:
        return _Tally(self)


class _Tally(Runner):
    def __init__(self, tool: Tally) -> None:
        self._tool, self._calls = tool, 0
        tool.count("opened")

    def run(self, call: Call, deadline: float) -> ToolResult:
        self._calls += 1
        return ToolResult(True, f"call {self._calls}")

    @property
    def is_live(self) -> bool:
        return self._calls > 0

    def close(self) -> None:
        self._tool.count("closed")


def asked(name: str, **arguments: Any) -> str:
    """Return a call in the form that all tools share."""
    import json

    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"
