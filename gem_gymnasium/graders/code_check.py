"""Checks that are code, as HumanEval's ``check(candidate)``, without showing them to a program.

A check holds what is right, so it must not run beside the program it checks. The calls that it
makes are recorded once, with a solution that is known to be right; the program gets the arguments
only, in one sandboxed run; and in another the check runs on the results, as data.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gem_gymnasium.core.errors import ConfigError, GraderError
from gem_gymnasium.graders.code_tests import Test, Tests
from gem_gymnasium.graders.values import decode, encode, inside, is_plain
from gem_gymnasium.sandbox import Policy, Result, run_python

TIME_S = 30.0
"""Seconds that a check may take by itself."""

OUTPUT_BYTES = 16 << 20


def record_calls(check: str, function: str, solution: str, *, level: str | None = None) -> Tests:
    """Return the tests that a check makes of a function.

    Args:
        check: A source that defines ``check(candidate)``, which raises if ``candidate`` is wrong.
        function: The name of the function that a program is to define.
        solution: A source that defines it rightly, and what the check needs beside.
        level: The sandbox's level; None for the first that is there.

    Raises:
        ConfigError: The solution does not pass, or the check makes no call, or one with an argument
            or a result that is no plain value, or its results alone do not pass: the check looks at
            what the function does beside, such as a change of its argument.
        GraderError: The sandbox failed.
        SandboxUnavailable: Nothing on this machine isolates a program.
    """
    source = f"{solution}\n\n{check}"
    done = _run({"source": source, "function": function, "calls": None}, level)
    if done.status == "failed":
        raise GraderError(f"the sandbox failed: {done.detail}")
    calls: list[Any] = _answer(done) or []
    if not calls:
        why = done.errors.rstrip().rpartition("\n")[2] or done.detail or "no call"
        raise ConfigError(f"the check of {function!r} cannot be recorded: {why}")
    for place, what in enumerate(("an argument", "an argument", "a result")):
        if not all(is_plain(call[place]) for call in calls):
            raise ConfigError(f"the check of {function!r} has {what} that is no plain value")
    cases = [Test(decode(call[0]), (decode(call[2]),), decode(call[1])) for call in calls]
    tests = Tests(cases, function, source)
    passed, why = passes_check(tests, [call[2] for call in calls], level)
    if not passed:
        raise ConfigError(
            f"the check of {function!r} does not pass on the results of its calls alone ({why}): "
            "it may look for a change of an argument"
        )
    return tests


def passes_check(tests: Tests, forms: Sequence[Any], level: str | None) -> tuple[bool | None, str]:
    """Return whether a check takes a program's results (encoded), and why not.

    None if it could not be run to its end.
    """
    try:
        results = [encode(decode(form)) for form in forms]
        plain = all(map(is_plain, forms))
    except (ValueError, TypeError, AttributeError, RecursionError):  # forged: no results at all
        return False, "results without a form"
    if not plain:
        return False, "a result that is no plain value"
    calls = [
        [encode(list(test.input)), encode(dict(test.keywords)), result]
        for test, result in zip(tests.cases, results, strict=True)
    ]
    done = _run({"source": tests.check, "function": tests.function, "calls": calls}, level)
    match _answer(done):
        case [bool(passed), str(why)]:
            return passed, why
        case [None, str(why)]:  # on the results of the solution it makes no other call
            known = [encode(test.outputs[0]) for test in tests.cases]
            return (None if results == known else False), why
        case _:
            last = done.errors.rstrip().rpartition("\n")[2]
            return (False, done.detail) if done.status in ("timeout", "limit") else (None, last)


def _run(request: dict[str, Any], level: str | None) -> Result:
    source = inside(["values.py", "code_check_driver.py"], "main()")
    policy = Policy(time_s=TIME_S, output_bytes=OUTPUT_BYTES)
    return run_python(source, stdin=json.dumps(request), policy=policy, level=level)


def _answer(done: Result) -> Any:
    """Return the last line's JSON, or None."""
    try:
        return json.loads(done.output.rstrip("\n").rpartition("\n")[2])
    except (ValueError, RecursionError):
        return None
