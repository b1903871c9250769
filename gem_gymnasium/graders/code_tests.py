"""Tests of code problems: one form, and the forms that data sets have.

A test has an input and the outputs that are right for it: texts for a program that reads stdin, or
arguments and results for a function.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from gem_gymnasium.core.errors import ConfigError


class Test(NamedTuple):
    """One input and what is right for it.

    Args:
        input: A text for stdin, or a function's positional arguments.
        outputs: Right answers, any of which counts: texts, or results.
        keywords: A function's keyword arguments.
    """

    __test__ = False  # pytest is not meant

    input: str | Sequence[Any]
    outputs: Sequence[Any]
    keywords: Mapping[str, Any] = {}


class Tests(NamedTuple):
    """The tests of one problem.

    Args:
        cases: The tests, at least one.
        function: The function to call, ``Solution.solve`` for a method; ``""`` for stdin.
        check: A source whose ``check(candidate)`` judges the results instead of the outputs; made
            by :func:`record_calls`.
    """

    __test__ = False

    cases: Sequence[Test]
    function: str = ""
    check: str = ""


def read_tests(source: Tests | Mapping[str, Any] | Sequence[Mapping[str, Any]] | str) -> Tests:
    """Return the tests that a data set's row holds.

    Args:
        source: ``Tests``; a mapping of ``inputs`` and ``outputs`` (as in APPS, TACO and
            CodeContests), with ``fn_name`` for a function; a list of mappings of ``input`` and
            ``output`` (as in LiveCodeBench and Codeforces); or one of these as JSON. A list as an
            input or output for stdin stands for lines. Of a function, an input is the list of its
            arguments, and where all outputs are lists of one item, that is the result.

    Raises:
        ConfigError: It is none of these, or holds no test.
    """
    if isinstance(source, Tests):
        tests = source
    else:
        row: Any = _from_json(source) if isinstance(source, str) else source
        tests = (_of_columns if isinstance(row, Mapping) else _of_rows)(cast("Any", row))
    if not tests.cases:
        raise ConfigError("a problem needs at least one test")
    return tests


def longest(tests: Tests, count: int) -> Tests:
    """Return the tests with the longest inputs, in their order; all if they are no more."""
    if len(tests.cases) <= count:
        return tests
    order = sorted(range(len(tests.cases)), key=lambda n: -len(str(tests.cases[n].input)))
    return tests._replace(cases=[tests.cases[n] for n in sorted(order[:count])])


def _from_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ConfigError(f"tests that are no JSON: {error}") from error


def _of_columns(row: Mapping[str, Any]) -> Tests:
    """Return the tests of ``{"inputs": [...], "outputs": [...], "fn_name": ...}``."""
    missing = {"inputs", "outputs"} - row.keys()
    if missing:
        raise ConfigError(f"tests without {' and '.join(sorted(missing))}: {sorted(row)}")
    inputs, outputs, function = row["inputs"], row["outputs"], row.get("fn_name") or ""
    if len(inputs) != len(outputs):
        raise ConfigError(f"{len(inputs)} inputs but {len(outputs)} outputs")
    if not function:
        return Tests([Test(_lines(left), (_lines(right),)) for left, right in _pairs(row)])
    wrapped = all(isinstance(output, list) and len(cast(Any, output)) == 1 for output in outputs)
    return Tests(
        [Test(list(left), (right[0] if wrapped else right,)) for left, right in _pairs(row)],
        function,
    )


def _pairs(row: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    return list(zip(row["inputs"], row["outputs"], strict=True))


def _of_rows(rows: Sequence[Mapping[str, Any]]) -> Tests:
    """Return the tests of ``[{"input": ..., "output": ...}, ...]``."""
    cases: list[Test] = []
    functions: set[str] = set()
    for row in rows:
        if not {"input", "output"} <= row.keys():
            raise ConfigError(f"a test needs input and output, got {sorted(row)}")
        function = row.get("fn_name") or ""
        functions.add(function)
        if function:
            cases.append(Test(list(row["input"]), (row["output"],)))
        else:
            cases.append(Test(_lines(row["input"]), (_lines(row["output"]),)))
    if len(functions) > 1:
        raise ConfigError(f"tests of several functions: {sorted(functions)}")
    return Tests(cases, functions.pop() if functions else "")


def _lines(value: Any) -> str:
    """Return a text, or the items of a list as its lines."""
    if isinstance(value, list):
        return "\n".join(map(_lines, cast("list[Any]", value)))
    return str(value)
