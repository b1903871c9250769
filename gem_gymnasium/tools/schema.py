"""Check a call's arguments against a tool's JSON schema, and say to the model what does not fit.

Checked are ``type``, ``properties``, ``required``, ``additionalProperties: false``, ``items``,
``enum``, ``minimum`` and ``maximum``; what else a schema says (``$ref``, ``anyOf``, formats) is
left to the tool. The package ``jsonschema`` checks it all, but its messages are for programmers,
and it brings a compiled dependency.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, cast

from gem_gymnasium.core.parsing import echo

_MAX_NAME_CHARS = 40
_MAX_DEPTH = 20


def _is_integer(value: Any) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


_TYPES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("a string", lambda value: isinstance(value, str)),
    "integer": ("an integer", _is_integer),
    "number": (
        "a number",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    ),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "null": ("null", lambda value: value is None),
    "array": ("a list", lambda value: isinstance(value, list)),
    "object": ("an object", lambda value: isinstance(value, dict)),
}
"""How a model is told of each type, and what is of it."""


def problem_of(value: Any, schema: Mapping[str, Any], where: str = "the arguments") -> str:
    """Return what of a value does not fit a schema, in one sentence, or ``""``.

    Args:
        value: As ``read_json`` returns it, so of bounded depth.
        schema: A JSON schema.
        where: What the value is called.
    """
    if problem := _type_problem(value, schema, where):
        return problem
    if "enum" in schema and value not in schema["enum"]:
        known = ", ".join(map(_shown, schema["enum"]))
        return f"{where} must be one of {known}, not {_shown(value)}."
    if isinstance(value, int | float):
        low, high = schema.get("minimum"), schema.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            bounds = [f"at least {low}"] * (low is not None) + [f"at most {high}"] * (
                high is not None
            )
            return f"{where} must be {' and '.join(bounds)}, not {_shown(value)}."
    if isinstance(value, dict):
        return _object_problem(cast("dict[str, Any]", value), schema, where)
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        for number, item in enumerate(cast("list[Any]", value), start=1):
            if problem := problem_of(item, schema["items"], f"item {number} of {where}"):
                return problem
    return ""


def broken(schema: Any, depth: int = 0) -> str:
    """Return what of a schema cannot be read, so that ``problem_of`` never fails on it, or ``""``.

    Only what ``problem_of`` reads is looked at.
    """
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        return "it is no object" if depth <= _MAX_DEPTH else "it is nested too deep"
    found = cast("Mapping[str, Any]", schema)
    kinds: Any = found.get("type", ())
    if not isinstance(kinds, str | list | tuple) or not all(
        isinstance(kind, str) for kind in cast("list[Any]", kinds)
    ):
        return "'type' is no name"
    for key, kind in (("properties", Mapping), ("required", list), ("enum", list)):
        if not isinstance(found.get(key, kind() if kind is list else {}), kind):
            return f"{key!r} is of the wrong type"
    if not all(isinstance(name, str) for name in found.get("required", ())):
        return "'required' holds what is no name"
    for key in ("minimum", "maximum"):
        bound = found.get(key, 0)
        if isinstance(bound, bool) or not isinstance(bound, int | float):
            return f"{key!r} is no number"
    inner = [*found.get("properties", {}).values()]
    inner += [found["items"]] if isinstance(found.get("items"), Mapping) else []
    # `true` and `false` are schemas, too, and say nothing that is checked.
    problems = (broken(one, depth + 1) for one in inner if not isinstance(one, bool))
    return next(filter(None, problems), "")


def nearest(name: str, known: Sequence[str]) -> str:
    """Return a hint on the name that was meant, or on all that there are."""
    near = get_close_matches(name[:_MAX_NAME_CHARS], known, n=1, cutoff=0.5)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"there is {', '.join(map(repr, known))}." if known else "there is none."


def _object_problem(value: dict[str, Any], schema: Mapping[str, Any], where: str) -> str:
    properties: Mapping[str, Any] = schema.get("properties", {})
    closed = schema.get("additionalProperties", True) is False
    for name, item in value.items():
        if name in properties and isinstance(properties[name], Mapping):
            inner = f"{name!r}" if where == "the arguments" else f"{name!r} in {where}"
            if problem := problem_of(item, properties[name], inner):
                return problem
        elif closed and name not in properties:
            unknown = echo(name, _MAX_NAME_CHARS)
            return f"there is no {unknown!r} in {where}: {nearest(name, sorted(properties))}"
    missing = [name for name in schema.get("required", ()) if name not in value]
    return f"{' and '.join(map(repr, missing))} missing in {where}." if missing else ""


def _type_problem(value: Any, schema: Mapping[str, Any], where: str) -> str:
    kinds: Any = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    if not kinds or any(kind not in _TYPES or _TYPES[kind][1](value) for kind in kinds):
        return ""
    wanted = " or ".join(_TYPES[kind][0] for kind in kinds)
    return f"{where} must be {wanted}, not {_shown(value)}."


def _shown(value: Any) -> str:
    return echo(repr(value), _MAX_NAME_CHARS)
