"""PythonTool: runs the Python that a model writes, in the sandbox."""

from __future__ import annotations

import importlib.util
import time
from dataclasses import dataclass, field, replace
from textwrap import dedent
from typing import Any

from gem_gymnasium.core.errors import (
    ConfigError,
    MissingDependency,
    SnapshotUnsupported,
    ToolFailure,
)
from gem_gymnasium.core.parsing import cut_middle, replace_surrogates
from gem_gymnasium.sandbox import Policy, PythonSession, Result, run_python
from gem_gymnasium.sandbox.run import choose
from gem_gymnasium.tools.base import Call, Runner, Tool, ToolResult
from gem_gymnasium.tools.calls import find_tagged

_TAG_OPEN, _TAG_CLOSE = "<python>", "</python>"
_FENCE = "```"
_MAX_ERROR_CHARS = 1_000
_LEAST_TIME_S = 0.01

NOTHING_PRINTED = "(The program printed nothing.)"
LOST_NAMES = "[All names are lost: the next program starts from nothing.]"


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonTool(Tool):
    """Run the Python programs that a model writes, and show what they print.

    A program stands between ``<python>`` and ``</python>`` or in a fenced ```` ```python ```` block
    (as in GEM: of the first of each, the one that ends earliest), or is the argument ``code`` of a
    ``<tool_call>``. Its output is what it prints, then the last lines of a traceback.

    Covered and not covered: what the sandbox level covers, see :mod:`gem_gymnasium.sandbox`.

    Args:
        timeout_s: Seconds of wall clock until a program is stopped.
        policy: Its other limits; ``time_s`` is overruled by ``timeout_s``.
        level: The sandbox level, by name; None for the best for Python that there is.
        persistent: Whether names live on from one program of an episode to the next. The
            interpreter then lives until the end of the episode, and no snapshot can hold it.
        fences: Whether a fenced block is a call; False where an answer is such a block.
        error_lines: How many of the last lines of what a failed program wrote to stderr are shown.
        max_chars: Characters of the output shown; the middle of a longer one is left out.
        packages: What the model is told that it can import.

    Raises:
        ConfigError: A limit is refused, or there is no such level.
        SandboxUnavailable: The level, or any that isolates, cannot be reached here.
        MissingDependency: A package is not installed.
    """

    timeout_s: float = 5.0
    policy: Policy = field(default_factory=Policy)
    level: str | None = None
    persistent: bool = False
    fences: bool = True
    error_lines: int = 10
    max_chars: int = 4_000
    packages: tuple[str, ...] = ("numpy", "sympy")

    name = "python"
    description = "Run a Python program and read what it prints."
    parameters = {  # noqa: RUF012 - a constant; a MappingProxyType is no JSON
        "type": "object",
        "properties": {"code": {"type": "string", "description": "The whole program."}},
        "required": ["code"],
        "additionalProperties": False,
    }

    def __post_init__(self) -> None:
        if not self.timeout_s > 0 or self.error_lines < 1 or self.max_chars < 1:
            raise ConfigError(
                "timeout_s must be above 0, error_lines and max_chars at least 1, got "
                f"{self.timeout_s}, {self.error_lines} and {self.max_chars}"
            )
        choose("session" if self.persistent else "python", self.level)
        for package in self.packages:
            if importlib.util.find_spec(package) is None:
                raise MissingDependency(
                    package, "tools", "PythonTool, which promises it to models,"
                )

    def instructions(self) -> str:
        """Return what a model is told of the tool."""
        fence = f", or in a fenced block that starts with {_FENCE}python" if self.fences else ""
        start = (
            "Names live on from one program to the next"
            if self.persistent
            else "Each program starts from nothing"
        )
        packages = f" {' and '.join(self.packages)} can be imported;" if self.packages else ""
        return (
            f"{self.name}: {self.description} Put the whole program between {_TAG_OPEN} and "
            f"{_TAG_CLOSE}{fence}. {start};{packages} there is no network, and a program is "
            f"stopped after {self.timeout_s:g} s."
        )

    def find_call(self, reply: str) -> Call | None:
        """Return the first tagged or fenced program, whichever ends earliest, or None."""
        calls = [_between(reply, _TAG_OPEN, _TAG_CLOSE)]
        if self.fences:
            calls += [_between(reply, f"{_FENCE}{gap}python", _FENCE) for gap in ("", "\n")]
        found = [call for call in calls if call is not None]
        return min(found, key=lambda call: call.end, default=None)

    def run(self, call: Call, deadline: float) -> ToolResult:
        """Run a program in an interpreter of its own."""
        time_s = self._time_s(deadline)
        policy = replace(self.policy, time_s=time_s)
        result = run_python(_program(call), policy=policy, level=self.level)
        return self._result(result, time_s)

    def episode(self) -> Runner:
        """Return the tool itself or, if ``persistent``, what holds the episode's interpreter."""
        return _Interpreter(self) if self.persistent else self

    def _time_s(self, deadline: float) -> float:
        return max(_LEAST_TIME_S, min(self.timeout_s, deadline - time.monotonic()))

    def _result(self, result: Result, time_s: float) -> ToolResult:
        """Compose what the model reads."""
        if result.status == "failed":
            raise ToolFailure(f"the sandbox (level {result.level}) failed: {result.detail}")
        output = replace_surrogates(cut_middle(result.output.strip("\n"), self.max_chars))
        if result.status == "ok":
            return ToolResult(True, output or NOTHING_PRINTED, "ok", result.level)
        if result.status == "error":
            lines = result.errors.rstrip().splitlines()[-self.error_lines :]
            why = replace_surrogates(cut_middle("\n".join(lines), _MAX_ERROR_CHARS))
            why = why or f"[The program failed: {result.detail}.]"
        elif result.status == "timeout":
            # Less than timeout_s is what was left until the deadline: not the same each time.
            limit = f" after {time_s:g} s" if time_s == self.timeout_s else ""
            why = f"[The program was stopped{limit}: it took too long.]"
        else:
            why = f"[The program was stopped: {result.detail}.]"
        text = f"{output}\n{why}" if output else why
        return ToolResult(False, text, result.status, result.level)


class _Interpreter(Runner):
    """The interpreter of an episode, started by its first call."""

    def __init__(self, tool: PythonTool) -> None:
        self._tool = tool
        self._session: PythonSession | None = None

    def run(self, call: Call, deadline: float) -> ToolResult:
        """Run a program that knows the names of those before it."""
        tool = self._tool
        if self._session is None:
            self._session = PythonSession(replace(tool.policy, time_s=tool.timeout_s), tool.level)
        time_s = tool._time_s(deadline)  # pyright: ignore[reportPrivateUsage]
        result = self._session.run(_program(call), time_s=time_s)
        answer = tool._result(result, time_s)  # pyright: ignore[reportPrivateUsage]
        if not self.is_live:
            return answer._replace(text=f"{answer.text}\n{LOST_NAMES}")
        return answer

    @property
    def is_live(self) -> bool:
        """Whether the interpreter lives."""
        return self._session is not None and self._session.is_open

    def close(self) -> None:
        """Stop the interpreter."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def __getstate__(self) -> dict[str, Any]:
        if self.is_live:
            raise SnapshotUnsupported("a live interpreter can be neither copied nor pickled")
        return {"_tool": self._tool, "_session": None}


def _between(reply: str, opened: str, closed: str) -> Call | None:
    """Return the program between the first ``opened`` and the ``closed`` after it, or None."""
    tagged = find_tagged(reply, opened, closed)
    if tagged is None:
        return None
    start, inside, end = tagged
    if opened.startswith(_FENCE):
        inside = inside.removeprefix("3\n")  # ```python3
    return Call(start, end, PythonTool.name, {"code": inside})


def _program(call: Call) -> str:
    """Return the source of a call: encodable, and flush left where all of it was indented."""
    source = replace_surrogates(call.arguments["code"])
    head = source.lstrip("\r\n")
    return (dedent(source) if head[:1] in (" ", "\t") else head).strip()
