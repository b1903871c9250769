"""Read what a reply asks for: a command, the end of the work, or nothing that can be read."""

from __future__ import annotations

import re
from typing import NamedTuple

from gem_gymnasium.core.errors import ToolFailure
from gem_gymnasium.core.parsing import replace_surrogates
from gem_gymnasium.tools.base import Call, Tool, ToolResult
from gem_gymnasium.tools.calls import find_call
from gem_gymnasium.tools.schema import problem_of

OPEN, CLOSE = "<bash>", "</bash>"
SUBMIT = "<submit/>"

_SUBMISSION = re.compile(r"<submit\s{0,9}(?:/>|>\s{0,9}</submit\s{0,9}>)", re.IGNORECASE)
_THINK, _THOUGHT = "<think>", "</think>"

FORM = (
    f"Put one command (several lines if you like) between {OPEN} and {CLOSE}, or end your work "
    f"with {SUBMIT}"
)


class Action(NamedTuple):
    """What a reply asks for: to run a command, or (None) to submit; or why it cannot be read."""

    command: str | None
    problem: str = ""


class _Form(Tool):
    """The form of a call; the env itself does what is asked for."""

    def run(self, call: Call, deadline: float) -> ToolResult:
        """Refuse: this is no tool that runs by itself.

        Raises:
            ToolFailure: Always.
        """
        raise ToolFailure(f"{self.name} is run by its env")


class _Bash(_Form):
    name = "bash"
    description = "Run a command in the shell."
    parameters = {  # noqa: RUF012 - a constant
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
        "additionalProperties": False,
    }

    def find_call(self, reply: str) -> Call | None:
        """Return the first tagged command, or None."""
        start = reply.find(OPEN)
        if start < 0:
            return None
        inside = start + len(OPEN)
        end = reply.find(CLOSE, inside)
        if end < 0:
            return Call(start, len(reply), "", {}, f"{OPEN} is never closed by {CLOSE}.")
        return Call(start, end + len(CLOSE), self.name, {"command": reply[inside:end].strip()})


class _Submit(_Form):
    name = "submit"
    description = "End the work."
    parameters = {"type": "object", "properties": {}}  # noqa: RUF012 - a constant

    def find_call(self, reply: str) -> Call | None:
        """Return nothing: words about the end of the work are not yet the end."""
        return None


_TOOLS = (_Bash(), _Submit())


def parse(reply: str) -> Action | None:
    """Return what a reply asks for, or None; never raises, in linear time.

    What stands before the last ``</think>`` is a thought, and is not read; nor is one that the
    reply begins with and never ends. A command counts before a submission, wherever they stand: a
    reply that holds both runs the command.
    """
    reply = reply.rpartition(_THOUGHT)[2].lstrip()
    if reply.startswith(_THINK):
        return None
    call = find_call(reply, _TOOLS)
    if call is None:
        return Action(None) if _SUBMISSION.search(reply) else None
    if call.problem:
        return Action(None, call.problem)
    tool = next(tool for tool in _TOOLS if tool.name == call.tool)
    if problem := problem_of(call.arguments, tool.parameters):
        return Action(None, f"The call does not fit the tool: {problem}")
    if tool.name == "submit":
        return Action(None)
    return Action(replace_surrogates(call.arguments["command"]))


def write(action: Action) -> str:
    """Return the shortest reply that asks for this."""
    return SUBMIT if action.command is None else f"{OPEN}{action.command}{CLOSE}"
