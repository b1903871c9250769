"""Arguments against a schema: what does not fit is said in one sentence."""

from typing import Any

import pytest

from gem_gymnasium.tools.schema import nearest, problem_of

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "count": {"type": "integer", "minimum": 1, "maximum": 10},
        "rate": {"type": "number", "minimum": 0},
        "language": {"enum": ["en", "de"]},
        "tags": {"type": "array", "items": {"type": ["string", "null"]}},
        "where": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
        "anything": {},
        "flag": {"type": "boolean"},
    },
    "required": ["query"],
    "additionalProperties": False,
}

FIT: list[dict[str, Any]] = [
    {"query": ""},
    {"query": "x", "count": 10, "rate": 0, "language": "de", "tags": [], "flag": False},
    {"query": "x", "count": 3.0, "rate": 0.5, "tags": ["a", None], "where": {"city": "Rome"}},
    {"query": "x", "anything": {"deep": [1, None]}},
]

MISFIT: list[tuple[Any, str]] = [
    ([], "the arguments must be an object, not []."),
    ({}, "'query' missing in the arguments."),
    ({"query": 3}, "'query' must be a string, not 3."),
    ({"query": "x", "count": "3"}, "'count' must be an integer, not '3'."),
    ({"query": "x", "count": 2.5}, "'count' must be an integer, not 2.5."),
    ({"query": "x", "count": True}, "'count' must be an integer, not True."),
    ({"query": "x", "count": 0}, "'count' must be at least 1 and at most 10, not 0."),
    ({"query": "x", "count": 11}, "'count' must be at least 1 and at most 10, not 11."),
    ({"query": "x", "rate": -0.5}, "'rate' must be at least 0, not -0.5."),
    ({"query": "x", "rate": False}, "'rate' must be a number, not False."),
    ({"query": "x", "flag": 1}, "'flag' must be true or false, not 1."),
    ({"query": "x", "language": "fr"}, "'language' must be one of 'en', 'de', not 'fr'."),
    (
        {"query": "x", "tags": ["a", 2]},
        "item 2 of 'tags' must be a string or null, not 2.",
    ),
    ({"query": "x", "where": {}}, "'city' missing in 'where'."),
    (
        {"query": "x", "where": {"town": "Rome"}},
        "there is no 'town' in 'where': there is 'city'.",
    ),
    ({"query": "x", "where": {"city": 1}}, "'city' in 'where' must be a string, not 1."),
    ({"qeury": "x"}, "there is no 'qeury' in the arguments: did you mean 'query'?"),
]


@pytest.mark.parametrize("value", FIT)
def test_what_fits_has_no_problem(value: Any) -> None:
    assert problem_of(value, SCHEMA) == ""


@pytest.mark.parametrize(("value", "problem"), MISFIT)
def test_what_does_not_fit_is_named(value: Any, problem: str) -> None:
    assert problem_of(value, SCHEMA) == problem


def test_an_open_schema_takes_unknown_keys() -> None:
    assert problem_of({"a": 1}, {"type": "object"}) == ""
    assert problem_of({"a": 1}, {}) == ""


def test_hostile_values_make_short_sentences() -> None:
    long = "x" * 60_000
    for value in ({long: 1}, {"query": [long]}, {"query": "x", "language": long}):
        assert len(problem_of(value, SCHEMA)) < 200
    problem_of({"query": "x", "\ud800": 1}, SCHEMA).encode("utf-8")


def test_names_are_hinted_at() -> None:
    assert nearest("pyhton", ["python", "search"]) == "did you mean 'python'?"
    assert nearest("zzz", ["python", "search"]) == "there is 'python', 'search'."
    assert nearest("zzz", []) == "there is none."
