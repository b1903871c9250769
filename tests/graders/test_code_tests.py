"""The forms of tests, and checks that are code."""

import json
from typing import Any

import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.graders import Test, Tests, grade_code, longest, read_tests, record_calls

COLUMNS = {"inputs": ["1 2\n", ["3", "4"]], "outputs": ["3\n", ["7"]]}
ROWS = [{"input": "1 2\n", "output": "3\n"}, {"input": "3\n4", "output": "7"}]
READ = [("1 2\n", ("3\n",)), ("3\n4", ("7",))]


@pytest.mark.parametrize("source", [COLUMNS, ROWS, json.dumps(COLUMNS), json.dumps(ROWS)])
def test_programs_have_texts(source: Any) -> None:
    tests = read_tests(source)
    assert [(test.input, test.outputs) for test in tests.cases] == READ
    assert tests.function == ""


@pytest.mark.parametrize(
    ("outputs", "right"), [([3, 7], [3, 7]), ([[3], [7]], [3, 7]), ([[3, 4], [7]], [[3, 4], [7]])]
)
def test_functions_have_arguments(outputs: list[Any], right: list[Any]) -> None:
    tests = read_tests({"fn_name": "add", "inputs": [[1, 2], [3, 4]], "outputs": outputs})
    assert [test.input for test in tests.cases] == [[1, 2], [3, 4]]
    assert [test.outputs for test in tests.cases] == [(each,) for each in right]
    assert tests.function == "add"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("{", "no JSON"),
        ({"inputs": []}, "without outputs"),
        ({"inputs": ["1"], "outputs": []}, "1 inputs but 0 outputs"),
        ({"inputs": [], "outputs": []}, "at least one test"),
        ([], "at least one test"),
        ([{"input": "1"}], "needs input and output"),
        (Tests([]), "at least one test"),
        (
            [
                {"input": [1], "output": 1, "fn_name": "f"},
                {"input": [1], "output": 1, "fn_name": "g"},
            ],
            "several functions",
        ),
    ],
)
def test_other_forms_are_refused(source: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        read_tests(source)


def test_the_longest_inputs_are_kept_in_their_order() -> None:
    tests = Tests([Test("1" * length, ("",)) for length in (3, 1, 5, 2, 4)])
    assert [len(test.input) for test in longest(tests, 3).cases] == [3, 5, 4]
    assert longest(tests, 9) is tests


SOLUTION = "def root(x):\n    return x ** 0.5\n"
CHECK = """
def check(candidate):
    import random
    assert candidate(4) == 2
    for _ in range(5):
        x = random.randint(1, 99)
        assert abs(candidate(x) ** 2 - x) < 1e-6
"""


def reply(program: str) -> str:
    """Return a reply with a program."""
    return f"```python\n{program}\n```"


def test_a_check_judges_results_that_its_solution_does_not_have() -> None:
    tests = record_calls(CHECK, "root", SOLUTION)
    assert len(tests.cases) == 6
    assert grade_code(reply(SOLUTION), tests) == (1.0, "ok", "the check passed")
    close = "def root(x):\n    y = x / 2\n    for _ in range(60): y = (y + x / y) / 2\n    return y"
    assert grade_code(reply(close), tests).score == 1.0
    wrong = grade_code(reply("def root(x): return x / 2"), tests)
    assert (wrong.score, wrong.detail) == (0.0, "the check failed: AssertionError")


@pytest.mark.parametrize(
    "program",
    [
        "def root(x): raise SystemExit(0)",
        "import os\ndef root(x): os._exit(0)",
        "class E(float):\n    def __eq__(self, other): return True\ndef root(x): return E(7)",
        "import builtins\nbuiltins.abs = lambda x: 0\ndef root(x): return 2",
        "def check(candidate): pass\ndef root(x): return 2",
        "def root(x): return None",
        "def other(x): return x ** 0.5",
    ],
)
def test_a_check_is_not_shown_to_the_program(program: str) -> None:
    tests = record_calls(CHECK, "root", SOLUTION)
    assert grade_code(reply(program), tests).score == 0.0


def test_a_message_of_a_failed_assertion_may_call_again() -> None:
    check = "def check(candidate):\n    assert candidate(4) == 2, f'it gives {candidate(4)}'"
    grade = grade_code(reply("def root(x): return 3"), record_calls(check, "root", SOLUTION))
    assert grade == (0.0, "ok", "the check failed: AssertionError: it gives 3")


@pytest.mark.parametrize(
    ("check", "why"),
    [
        ("def check(candidate): assert candidate(4) == 3", "AssertionError"),
        ("def check(candidate): pass", "no call"),
        ("def check(candidate): candidate(print)", "TypeError"),
        ("x = 1", "KeyError"),
    ],
)
def test_a_check_that_cannot_be_recorded_is_refused(check: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        record_calls(check, "root", SOLUTION)


def test_arguments_must_be_plain_values() -> None:
    solution = "def root(x):\n    return 1\n"
    with pytest.raises(ConfigError, match="no plain value"):
        record_calls("def check(candidate): candidate(print)", "root", solution)


@pytest.mark.parametrize(
    ("check", "solution", "why"),
    [
        (
            "def check(candidate):\n    x = [3, 1]\n    candidate(x)\n    assert x == [1, 3]",
            "def root(x): x.sort()",
            "a change of an argument",
        ),
        (
            "def check(candidate): assert list(candidate(1)) == [1]",
            "def root(x): return iter([x])",
            "a result that is no plain value",
        ),
    ],
)
def test_a_check_that_looks_at_more_than_values_is_refused(
    check: str, solution: str, why: str
) -> None:
    with pytest.raises(ConfigError, match=why):
        record_calls(check, "root", solution)


def test_results_that_lead_a_check_to_another_call_are_wrong() -> None:
    check = "def check(candidate):\n    x = candidate(2)\n    assert candidate(x) == 2"
    tests = record_calls(check, "root", "def root(x): return 3 - x if x in (1, 2) else 0")
    grade = grade_code(reply("def root(x): return 7"), tests)
    assert grade == (0.0, "ok", "the check failed: it makes a call that was not recorded")


def test_a_check_that_catches_every_error_passes_no_other_call() -> None:
    check = (
        "def check(candidate):\n    x = candidate(2)\n    try:\n        candidate(x)\n"
        "    except Exception:\n        pass"
    )
    tests = record_calls(check, "root", "def root(x): return 3 - x if x in (1, 2) else 0")
    assert grade_code(reply("def root(x): return 7"), tests).score == 0.0


def test_a_check_that_calls_by_chance_of_its_own_is_an_error_not_a_wrong_answer() -> None:
    check = (
        "def check(candidate):\n    import random\n"
        "    assert candidate(random.Random().random()) == 1"
    )
    solution = "def root(x): return 1"
    with pytest.raises(ConfigError, match="it makes a call that was not recorded"):
        record_calls(check, "root", solution)
    tests = Tests([Test([4], (1,))], "root", check)
    assert grade_code(reply(solution), tests).status == "error"
    assert grade_code(reply("def root(x): return 2"), tests) == (
        0.0,
        "ok",
        "the check failed: it makes a call that was not recorded",
    )


def test_an_object_does_not_pass_as_a_tuple_of_its_text() -> None:
    check = "def check(candidate): assert list(candidate(1)) == ['<x>']"
    tests = record_calls(check, "root", "def root(x): return ['<x>']")
    program = "class X:\n    def __repr__(self): return '<x>'\ndef root(x): return X()"
    grade = grade_code(reply(program), tests)
    assert grade == (0.0, "ok", "the check failed: a result that is no plain value")


def test_a_text_that_reads_other_is_a_plain_value() -> None:
    check = "def check(candidate): assert candidate('other') == 'other'"
    tests = record_calls(check, "same", "def same(x): return x")
    assert grade_code(reply("def same(x): return x"), tests).score == 1.0


def test_sets_are_the_same_in_every_process() -> None:
    check = "def check(candidate): assert candidate({'a', 'b', 'c', 'd', 'e'}) == {'a', 'e'}"
    tests = record_calls(check, "ends", "def ends(x): return {min(x), max(x)}")
    assert grade_code(reply("def ends(x): return {max(x), min(x)}"), tests).score == 1.0
