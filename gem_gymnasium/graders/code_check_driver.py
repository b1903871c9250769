"""What runs inside the sandbox for ``code_check.py``: a check, never the program it is about.

See ``values.inside`` for how this file comes into the sandbox.
"""

import json
import random
import sys
from collections.abc import Callable
from typing import Any

from gem_gymnasium.graders.values import decode, encode


class OtherCall(BaseException):
    """The check does not make the calls that it made when they were recorded.

    Not an ``Exception``: a check may catch those.
    """


def loaded(source: str) -> dict[str, Any]:
    """Return the names that a source defines; chance is the same each time."""
    names: dict[str, Any] = {"__name__": "check"}
    random.seed(0)
    exec(compile(source, "<check>", "exec", dont_inherit=True), names)
    random.seed(0)
    return names


def record(source: str, function: str) -> list[Any]:
    """Return the calls ``[arguments, keywords, result]`` that a check makes of a solution."""
    names = loaded(source)
    calls: list[Any] = []

    def candidate(*arguments: Any, **keywords: Any) -> Any:
        call = [encode(list(arguments)), encode(keywords)]  # before the solution changes them
        result = names[function](*arguments, **keywords)
        calls.append([*call, encode(result)])
        return result

    names["check"](candidate)
    return calls


def replay(source: str, calls: list[Any]) -> list[Any]:
    """Run the check on results that are known; return whether it passes, and why not.

    None if it makes a call whose result is not known.
    """
    names = loaded(source)
    left = list(calls)

    def candidate(*arguments: Any, **keywords: Any) -> Any:
        made = [encode(list(arguments)), encode(keywords)]
        if left and left[0][:2] == made:
            return decode(left.pop(0)[2])
        for call in calls:  # the message of an assertion that fails may call again
            if call[:2] == made:
                return decode(call[2])
        raise OtherCall

    check: Callable[[Any], Any] = names["check"]
    try:
        check(candidate)
    except OtherCall:
        return [None, "it makes a call that was not recorded"]
    except Exception as error:
        return [False, f"{type(error).__name__}: {error}".removesuffix(": ")[:200]]
    return [True, ""]


def main() -> None:
    """Read a request from stdin; write one line of JSON."""
    request: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    if request["calls"] is None:
        done = record(request["source"], request["function"])
    else:
        done = replay(request["source"], request["calls"])
    print("\n" + json.dumps(done))  # noqa: T201 - its output is its answer
