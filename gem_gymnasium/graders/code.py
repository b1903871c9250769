"""Programs as answers: run on hidden tests in the sandbox, compared outside of it."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_fenced
from gem_gymnasium.graders.code_check import passes_check
from gem_gymnasium.graders.code_compare import same_text, same_value
from gem_gymnasium.graders.code_tests import Test, Tests, read_tests
from gem_gymnasium.graders.grade import Grade
from gem_gymnasium.graders.values import decode, encode, inside
from gem_gymnasium.sandbox import Policy, Result, run_python

MAX_TOTAL_S = 60.0
"""Seconds that all tests of a problem may take together."""

OUTPUT_CHARS = 1 << 16
"""Characters that the output of a test may have, at least; more where what is right is long."""

COMMON_IMPORTS = """
import bisect, collections, copy, datetime, functools, heapq, itertools, math, operator, random, re
import string, sys
from bisect import bisect_left, bisect_right, insort
from collections import Counter, OrderedDict, defaultdict, deque
from functools import cache, cmp_to_key, lru_cache, reduce
from heapq import heapify, heappop, heappush
from itertools import accumulate, chain, combinations, permutations, product
from math import ceil, comb, factorial, floor, gcd, inf, isqrt, lcm, log, log2, pi, prod, sqrt
from typing import Any, Dict, Iterable, List, Optional, Set, Tuple, Union
"""
"""A prelude for data sets whose programs leave imports out, as those of coding contests do."""


class Verdict(NamedTuple):
    """What became of one test, and why.

    ``passed``, ``wrong answer``, ``runtime error``, ``timeout``, ``output limit`` or ``not run``.
    """

    what: str
    why: str = ""


def grade_code(
    reply: str,
    tests: Tests | Mapping[str, Any] | Sequence[Mapping[str, Any]] | str,
    *,
    partial: bool = False,
    tolerance: float = 1e-6,
    time_s: float = 5.0,
    memory_bytes: int = 1 << 30,
    prelude: str = "",
    level: str | None = None,
) -> Grade:
    """Grade the Python program in the last code block of a reply.

    **Covered**: all that the sandbox covers (see ``run_python``). What is right for a test never
    enters the sandbox, so that no program can read it, and passing by ending early, by changing
    what tests it or by printing forged results is not possible: outputs are data.

    **Not covered**: a program sees the inputs of all its tests, in one process, and may tell by
    them that it is tested.

    Args:
        reply: The model's whole reply.
        tests: See :func:`read_tests`.
        partial: Give the fraction of the tests that pass; else 1 only if all do.
        tolerance: By how much numbers with a decimal point may differ, absolutely or relatively.
        time_s: Seconds for each test (all together: ``MAX_TOTAL_S``). Behind a test that takes
            longer no other is run, unless ``partial``.
        memory_bytes: Memory of the program.
        prelude: A source that is run before the program, such as ``COMMON_IMPORTS``.
        level: The sandbox's level; None for the first that is there.

    Returns:
        Status ``ok`` whenever the program was tested; the detail counts what became of the tests
        and names the first that failed.

    Raises:
        ConfigError: The tests have no form that is known, or a limit is not positive.
        SandboxUnavailable: Nothing on this machine isolates a program.
    """
    tests = read_tests(tests)
    program = last_fenced(reply)
    if program is None or not program.strip():
        return Grade(0.0, "unparseable", "no closed code block")
    done = _run(program, tests, prelude, time_s, memory_bytes, level, partial)
    if done.status == "failed":
        return Grade(0.0, "error", f"the sandbox failed: {done.detail}")
    verdicts = judged(tests, done, tolerance)
    if tests.check and all(verdict.what in ("passed", "wrong answer") for verdict in verdicts):
        return _checked(tests, done, level)
    passed = sum(verdict.what == "passed" for verdict in verdicts)
    score = passed / len(verdicts) if partial else float(passed == len(verdicts))
    return Grade(score, "ok", _summary(verdicts))


def _run(
    program: str,
    tests: Tests,
    prelude: str,
    time_s: float,
    memory_bytes: int,
    level: str | None,
    partial: bool,
) -> Result:
    """Run a program on the inputs of its tests; one that must pass all, until a timeout."""
    if not 0 < time_s <= MAX_TOTAL_S:
        raise ConfigError(f"time_s must be above 0 and at most {MAX_TOTAL_S:g}, got {time_s}")
    # A power of two, so that the limit does not tell how long the right output is.
    size = max(
        (len(json.dumps(encode(right))) for test in tests.cases for right in test.outputs),
        default=0,
    )
    limit = max(OUTPUT_CHARS, 4 << size.bit_length())
    request = {
        "program": program,
        "prelude": prelude,
        "function": tests.function,
        "tests": [_input(test, bool(tests.function)) for test in tests.cases],
        "time_s": time_s,
        "limit": limit,
        "all": not partial,
    }
    policy = Policy(
        time_s=min(MAX_TOTAL_S, time_s * len(tests.cases) + 1),
        memory_bytes=memory_bytes,
        # A character is at most 12 in JSON, and a value's form a few times as long as itself.
        output_bytes=len(tests.cases) * (16 * limit + 1_000),
    )
    return run_python(_driver(), stdin=json.dumps(request), policy=policy, level=level)


@functools.cache
def _driver() -> str:
    """Return the program that runs the tests."""
    return inside(["values.py", "code_driver.py"], "main()")


def _input(test: Test, calls: bool) -> Any:
    """Return what the sandbox gets of a test: never its outputs."""
    if calls:
        return [encode(list(test.input)), encode(dict(test.keywords))]
    return str(test.input).replace("\r\n", "\n")


def _checked(tests: Tests, done: Result, level: str | None) -> Grade:
    """Let the tests' check judge the results; all of them are there."""
    records = _records(done.output, len(tests.cases))
    forms = [records[number][2] for number in range(len(tests.cases))]
    passed, why = passes_check(tests, forms, level)
    if passed is None:
        return Grade(0.0, "error", f"the check failed to run: {why}")
    return Grade(float(passed), "ok", "the check passed" if passed else f"the check failed: {why}")


def judged(tests: Tests, done: Result, tolerance: float) -> list[Verdict]:
    """Return a verdict on each test from what the sandbox put out."""
    records = _records(done.output, len(tests.cases))
    verdicts: list[Verdict] = []
    over = any(record[0] == "timeout" for record in records.values())
    # it ended the process, or the process was ended in it
    missing = Verdict("not run") if over and done.status == "ok" else _ended(done)
    for number, test in enumerate(tests.cases):
        if number in records:
            verdicts.append(_verdict(test, bool(tests.function), *records[number], tolerance))
        else:
            verdicts.append(missing)
            missing = Verdict("not run")
    return verdicts


def _records(output: str, count: int) -> dict[int, tuple[str, str, Any]]:
    """Return (status, detail, output) of each test; what has another form is left out."""
    records: dict[int, tuple[str, str, Any]] = {}
    for line in output.splitlines():
        try:
            number, status, detail, value = json.loads(line)
        except (ValueError, TypeError, RecursionError):
            continue
        if isinstance(number, int) and 0 <= number < count and isinstance(status, str):
            records[number] = status, str(detail), value
    return records


def _verdict(
    test: Test, calls: bool, status: str, detail: str, output: Any, tolerance: float
) -> Verdict:
    """Judge one test's record."""
    named = {"error": "runtime error", "timeout": "timeout", "output": "output limit"}
    if status != "done":
        return Verdict(named.get(status, "runtime error"), detail)
    try:
        result = decode(output) if calls else output
        same = same_value if calls else same_text
        passed = any(same(result, right, tolerance) for right in test.outputs)
    except (ValueError, TypeError, AttributeError, RecursionError):  # no form of an output
        return Verdict("wrong answer")
    return Verdict("passed" if passed else "wrong answer")


def _ended(done: Result) -> Verdict:
    """Return the verdict on the test during which the process ended."""
    if done.status == "timeout":
        return Verdict("timeout", done.detail)
    if done.status == "limit" and done.detail.startswith("output"):
        return Verdict("output limit", done.detail)
    return Verdict("runtime error", done.detail or "the program ended the process")


def _summary(verdicts: Sequence[Verdict]) -> str:
    """Return what became of the tests: ``3 of 5 passed, 2 wrong answer; first: test 4``."""
    counts = Counter(verdict.what for verdict in verdicts)
    parts = [f"{counts.pop('passed', 0)} of {len(verdicts)} passed"]
    parts += [f"{count} {what}" for what, count in counts.items()]
    summary = ", ".join(parts)
    for number, verdict in enumerate(verdicts, 1):
        if verdict.what != "passed":
            why = f": {verdict.why}" if verdict.why else ""
            return f"{summary}; first: test {number}{why}"[:400]
    return summary
