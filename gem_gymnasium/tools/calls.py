"""Find the call in a reply: in the form that all tools share, or in a tool's own tags.

The shared forms are that of common chat templates and GEM's::

    <tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>
    <tool_call><tool_name>add</tool_name><arguments>{"a": 1, "b": 2}</arguments></tool_call>

A call that cannot be read is a call nevertheless: its ``problem`` tells the model what is wrong. A
``<tool_call>`` that is only spoken of (no ``{`` after it, and never closed) is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from gem_gymnasium.core.parsing import echo
from gem_gymnasium.tools.base import Call, Tool
from gem_gymnasium.tools.lenient_json import explained, read_json
from gem_gymnasium.tools.schema import nearest

OPEN, CLOSE = "<tool_call>", "</tool_call>"
FORM = '<tool_call>{"name": "...", "arguments": {...}}</tool_call>'
"""The form that a model is told of."""

_NAME_OPEN, _NAME_CLOSE = "<tool_name>", "</tool_name>"
_ARGUMENTS_OPEN, _ARGUMENTS_CLOSE = "<arguments>", "</arguments>"
_BEGIN = re.compile(r"<tool_call>\s*+(?=\{|```|<tool_name>)")
_FENCE = re.compile(r"```[A-Za-z]*+\s*+")
# Closing brackets too many do not change what was called.
_END = re.compile(r"[\s}\]]*+(?:```\s*+)?(?:</tool_call>|(?=<tool_call>)|\Z)")
_SPACE = re.compile(r"\s*+")
_MAX_NAME_CHARS = 40


def find_call(reply: str, tools: Sequence[Tool]) -> Call | None:
    """Return the call of a reply that starts first, in any form of any tool, or None.

    Never raises, and takes a time that grows with the length of the reply only.
    """
    found = [find_shared_form(reply, tools), *(tool.find_call(reply) for tool in tools)]
    calls = [call for call in found if call is not None]
    return min(calls, key=lambda call: call.start, default=None)


def find_shared_form(reply: str, tools: Sequence[Tool]) -> Call | None:
    """Return the first call in a ``<tool_call>``, or None."""
    first = reply.find(OPEN)
    if first < 0:
        return None
    close = reply.find(CLOSE, first)
    begin = _BEGIN.search(reply, first)
    if begin is None or 0 <= close < begin.start():
        if close < 0:
            return None
        start = reply.rfind(OPEN, first, close)
        what = f"between the tags there must be a JSON object: {FORM}"
        return Call(start, close + len(CLOSE), "", {}, _unread(what))
    start, inside = begin.span()
    end = len(reply) if close < 0 else reply.index(CLOSE, inside) + len(CLOSE)
    if reply.startswith(_NAME_OPEN, inside):
        return _tagged(reply, start, inside, end, tools)
    return _json(reply, start, inside, end, tools)


def find_tagged(reply: str, opened: str, closed: str) -> tuple[int, str, int] | None:
    """Return what stands between the first ``opened`` and the ``closed`` after it, or None.

    As (where ``opened`` starts, what is inside, where ``closed`` ends).
    """
    start = reply.find(opened)
    end = reply.find(closed, start + len(opened)) if start >= 0 else -1
    return None if end < 0 else (start, reply[start + len(opened) : end], end + len(closed))


def _json(reply: str, start: int, inside: int, end: int, tools: Sequence[Tool]) -> Call:
    """Read the form of chat templates; ``end`` is where the call ends if it cannot be read."""
    fence = _FENCE.match(reply, inside)
    inside = fence.end() if fence else inside
    reading = read_json(reply, inside, CLOSE)
    if reading.problem:
        return Call(start, end, "", {}, _unread(reading.problem))
    tail = _END.match(reply, reading.end)
    if tail is None:
        what = explained(reply, inside, reading.end, f"expected {CLOSE} after the object")
        return Call(start, end, "", {}, _unread(what))
    name, arguments, problem = _read_object(reading.value)
    if problem:
        return Call(start, tail.end(), "", {}, _unread(problem))
    return _named(start, tail.end(), name, arguments, tools)


def _read_object(value: Any) -> tuple[str, dict[str, Any], str]:
    """Return the name and the arguments in a call's object, and what is wrong with it."""
    if not isinstance(value, dict) or not isinstance(cast("Any", value).get("name"), str):
        return "", {}, f'it must be an object whose "name" is a string: {FORM}'
    found = cast("dict[str, Any]", value)
    for key in ("arguments", "parameters"):  # both are in use
        if key in found:
            arguments = found[key]
            break
    else:
        others = [key for key in found if key != "name"]
        if others:
            other = echo(others[0], _MAX_NAME_CHARS)
            return "", {}, f'it has no "arguments", but {other!r}: {FORM}'
        arguments = None
    if arguments is None:
        return found["name"], {}, ""
    if isinstance(arguments, str):
        reading = read_json(arguments)
        if not reading.problem and not arguments[reading.end :].strip():
            arguments = reading.value
    if not isinstance(arguments, dict):
        return "", {}, f'"arguments" must be an object: {FORM}'
    return found["name"], cast("dict[str, Any]", arguments), ""


def _tagged(reply: str, start: int, inside: int, end: int, tools: Sequence[Tool]) -> Call:
    """Read GEM's form; ``end`` is where the call ends if it cannot be read."""
    name_at = inside + len(_NAME_OPEN)
    name_end = reply.find(_NAME_CLOSE, name_at, end)
    if name_end < 0:
        return Call(start, end, "", {}, _unread(f"{_NAME_OPEN} is never closed by {_NAME_CLOSE}"))
    name = reply[name_at:name_end].strip()
    at = _skip(reply, name_end + len(_NAME_CLOSE))
    arguments: Any = {}
    if reply.startswith(_ARGUMENTS_OPEN, at):
        at = _skip(reply, at + len(_ARGUMENTS_OPEN))
        if not reply.startswith(_ARGUMENTS_CLOSE, at):
            reading = read_json(reply, at, _ARGUMENTS_CLOSE)
            if reading.problem:
                return Call(start, end, "", {}, _unread(f"{_ARGUMENTS_OPEN}: {reading.problem}"))
            at, arguments = _skip(reply, reading.end), reading.value
        if not isinstance(arguments, dict) or not reply.startswith(_ARGUMENTS_CLOSE, at):
            what = f"expected one JSON object between {_ARGUMENTS_OPEN} and {_ARGUMENTS_CLOSE}"
            return Call(start, end, "", {}, _unread(what))
        at += len(_ARGUMENTS_CLOSE)
    tail = _END.match(reply, at)
    if tail is None:
        what = explained(reply, inside, at, f"expected {_ARGUMENTS_OPEN} or {CLOSE}")
        return Call(start, end, "", {}, _unread(what))
    return _named(start, tail.end(), name, cast("dict[str, Any]", arguments), tools)


def _skip(reply: str, at: int) -> int:
    """Pass over white space."""
    space = _SPACE.match(reply, at)
    return space.end() if space else at


def _named(
    start: int, end: int, name: str, arguments: Mapping[str, Any], tools: Sequence[Tool]
) -> Call:
    """Return the call of a tool by its name."""
    known = sorted(tool.name for tool in tools)
    if name in known:
        return Call(start, end, name, dict(arguments))
    hint = nearest(name, known)
    return Call(start, end, "", {}, f"There is no tool {echo(name, _MAX_NAME_CHARS)!r}: {hint}")


def _unread(what: str) -> str:
    return f"The call cannot be read: {what}"
