"""PythonTool: which program of a reply is run, what the model reads of it, state, failures."""

import copy
import pickle
import threading
import time
from typing import Any

import pytest

from gem_gymnasium.core.errors import (
    ConfigError,
    MissingDependency,
    SnapshotUnsupported,
    ToolFailure,
)
from gem_gymnasium.sandbox import Policy, available
from gem_gymnasium.tools import Call, PythonTool, Runner, ToolResult
from gem_gymnasium.tools.python import LOST_NAMES, NOTHING_PRINTED
from tests.tools.killing import RUNS, kill_in

TOOL = PythonTool()


def code_of(reply: str, tool: PythonTool = TOOL) -> str | None:
    call = tool.find_call(reply)
    return None if call is None else call.arguments["code"]


def run(source: str, tool: Runner = TOOL, seconds: float = 30.0) -> ToolResult:
    call = Call(0, 1, "python", {"code": source})
    return tool.run(call, time.monotonic() + seconds)


# -- which program -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("<python>print(1)</python>", "print(1)"),
        ("So: <python>\nprint(1)\n</python> Then.", "\nprint(1)\n"),
        ("```python\nprint(1)\n```", "\nprint(1)\n"),
        ("```\npython\nprint(1)\n```", "\nprint(1)\n"),
        ("```python print(1)```", " print(1)"),
        ("```python3\nprint(1)\n```", "print(1)\n"),
        ("<python>a</python> <python>b</python>", "a"),
        ("```python\na\n``` ```python\nb\n```", "\na\n"),
        ("<python>a</python> ```python\nb\n```", "a"),
        ("```python\nb\n``` <python>a</python>", "\nb\n"),
        ("<python>\n```python\na\n```\n</python>", "\na\n"),
        ("<python> never closed ```python\nb\n```", "\nb\n"),
        ("</python> <python>a</python>", "a"),
        ("<python></python>", ""),
    ],
)
def test_the_first_program_that_ends_is_the_one(reply: str, code: str) -> None:
    assert code_of(reply) == code


@pytest.mark.parametrize(
    "reply",
    ["", "<python>", "<python>x", "</python><python>", "```python", "```js\nx\n```", "python"],
)
def test_a_reply_without_a_whole_program_holds_none(reply: str) -> None:
    assert code_of(reply) is None


def test_fences_can_be_left_to_answers() -> None:
    tool = PythonTool(fences=False)
    assert code_of("```python\nb\n``` <python>a</python>", tool) == "a"
    assert code_of("```python\nb\n```", tool) is None
    assert "fenced" not in tool.instructions()
    assert "fenced" in TOOL.instructions()


def test_a_call_spans_its_tags() -> None:
    reply = "So: <python>print(1)</python> Then."
    assert TOOL.find_call(reply) == Call(4, 29, "python", {"code": "print(1)"})


# -- what the model reads ------------------------------------------------------------------------
def test_what_a_program_prints_is_what_the_model_reads() -> None:
    result = run("print(1 + 1)\nprint('two')")
    assert result == ToolResult(True, "2\ntwo", "ok", result.level)
    assert result.level


def test_a_program_that_prints_nothing_is_told_so() -> None:
    assert run("x = 1")[:3] == (True, NOTHING_PRINTED, "ok")
    assert run("")[:3] == (True, NOTHING_PRINTED, "ok")


@pytest.mark.parametrize(
    "source",
    [
        "\n    x = 2\n    print(x)\n",
        "  x = 2\n  print(x)",
        " x = 2\nprint(x)",
        "\tx = 2\n\tprint(x)",
    ],
)
def test_an_indented_program_runs(source: str) -> None:
    assert run(source).text == "2"


def test_a_failing_program_shows_its_output_then_the_last_lines_of_the_traceback() -> None:
    result = run("print('before')\n1 / 0")
    assert (result.ok, result.status) == (False, "error")
    first, *_, last = result.text.splitlines()
    assert (first, last) == ("before", "ZeroDivisionError: division by zero")
    assert "Traceback" in result.text
    short = run("print('before')\n1 / 0", PythonTool(error_lines=1))
    assert short.text == "before\nZeroDivisionError: division by zero"


def test_code_that_is_no_python_fails_with_its_error() -> None:
    result = run("print(1")
    assert (result.ok, result.status) == (False, "error")
    assert result.text.splitlines()[-1].startswith("SyntaxError: ")


def test_a_program_that_exits_without_a_word_is_told_how() -> None:
    result = run("import sys; sys.exit(3)")
    assert (result.ok, result.status) == (False, "error")
    assert "3" in result.text


def test_a_program_that_takes_too_long_is_stopped_and_told_so() -> None:
    result = run("while True: pass", PythonTool(timeout_s=0.5))
    assert (result.ok, result.status) == (False, "timeout")
    assert result.text == "[The program was stopped after 0.5 s: it took too long.]"


def test_the_deadline_bounds_the_time_too() -> None:
    started = time.monotonic()
    result = run("while True: pass", PythonTool(timeout_s=60), seconds=0.5)
    assert time.monotonic() - started < 20
    assert (result.ok, result.status) == (False, "timeout")
    assert result.text == "[The program was stopped: it took too long.]"


def test_output_beyond_the_sandbox_s_bound_stops_the_program() -> None:
    result = run("print('x' * 5_000)", PythonTool(policy=Policy(output_bytes=1_000)))
    assert (result.ok, result.status) == (False, "limit")
    assert "[The program was stopped: output over 1000 bytes.]" in result.text


def test_the_middle_of_a_long_output_is_left_out() -> None:
    result = run("print('a' * 600 + 'b' * 600)", PythonTool(max_chars=100))
    assert result.ok
    assert result.text == f"{'a' * 50}\n[1100 characters left out]\n{'b' * 50}"
    assert run("print('a' * 100)", PythonTool(max_chars=100)).text == "a" * 100


def test_a_long_error_is_cut_too() -> None:
    result = run("raise ValueError('x' * 50_000)")
    assert len(result.text) < 1_100
    assert result.text.endswith("xxx")


@pytest.mark.parametrize(
    "source",
    ["\x00", "print('\ud800')", "# \ud800", "'" * 10_000, "(" * 5_000, "é = '数'; print(é)"],
)
def test_hostile_programs_give_text_that_can_be_encoded(source: str) -> None:
    run(source).text.encode("utf-8")


def test_surrogates_that_a_program_prints_are_replaced() -> None:
    source = "import sys; sys.stdout.buffer.write(b'\\xff\\xed\\xa0\\x80')"
    run(source).text.encode("utf-8")


# -- failures of the machinery -------------------------------------------------------------------
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("level", RUNS)
def test_a_sandbox_killed_in_mid_run_raises_and_the_next_run_works(
    level: str, persistent: bool
) -> None:
    if why := available()[level]:
        pytest.skip(f"no {level}: {why}")
    runner = PythonTool(level=level, persistent=persistent, timeout_s=20).episode()
    assert run("x = 1", runner).level == level
    killer = kill_in(0.3, level)
    with pytest.raises(ToolFailure, match=rf"the sandbox \(level {level}\) failed: ."):
        run("while True: pass", runner)
    killer.join()
    assert run("print(2)", runner).text == "2"
    runner.close()


# -- persistence ---------------------------------------------------------------------------------
def test_names_live_on_within_an_episode_and_not_between_two() -> None:
    tool = PythonTool(persistent=True)
    one, other = tool.episode(), tool.episode()
    assert run("x = 41", one).text == NOTHING_PRINTED
    assert run("print(x + 1)", one).text == "42"
    assert run("print(x + 1)", other).text.splitlines()[-1].startswith("NameError: ")
    for runner in (one, other):
        runner.close()


def test_without_persistence_each_program_starts_from_nothing() -> None:
    runner = TOOL.episode()
    assert runner is TOOL
    run("x = 41", runner)
    assert not run("print(x)", runner).ok
    assert not runner.is_live


def test_a_stopped_interpreter_is_replaced_and_the_model_is_told() -> None:
    runner = PythonTool(persistent=True, timeout_s=0.5).episode()
    run("x = 1", runner)
    stopped = run("while True: pass", runner)
    assert stopped.status == "timeout"
    assert stopped.text.endswith(f"\n{LOST_NAMES}")
    assert run("print(x)", runner).text.splitlines()[-1].startswith("NameError: ")
    assert run("print(3)", runner).text == "3"
    runner.close()


def test_a_closed_interpreter_is_gone_and_closing_again_is_nothing() -> None:
    runner = PythonTool(persistent=True).episode()
    runner.close()
    run("x = 1", runner)
    assert runner.is_live
    runner.close()
    runner.close()
    assert not runner.is_live
    assert not run("print(x)", runner).ok
    runner.close()


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_a_live_interpreter_is_not_copied(copier: Any) -> None:
    runner = PythonTool(persistent=True, timeout_s=2.5).episode()
    twin = copier(runner)
    assert run("print(5)", twin).text == "5"
    twin.close()
    run("x = 1", runner)
    with pytest.raises(SnapshotUnsupported, match="neither copied nor pickled"):
        copier(runner)
    runner.close()
    copier(runner)


# -- one tool, many users ------------------------------------------------------------------------
def test_one_tool_serves_many_threads() -> None:
    tool = PythonTool(persistent=True)
    results: dict[int, list[str]] = {}

    def work(number: int) -> None:
        runner = tool.episode()
        run(f"x = {number}", runner)
        results[number] = [run("x += 1; print(x)", runner).text for _ in range(3)]
        runner.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: [str(n + 1), str(n + 2), str(n + 3)] for n in range(6)}


def test_a_tool_is_a_value() -> None:
    assert PythonTool() == PythonTool()
    assert PythonTool() != PythonTool(timeout_s=1)
    twin = pickle.loads(pickle.dumps(PythonTool(policy=Policy(processes=3))))
    assert twin == PythonTool(policy=Policy(processes=3))


# -- construction --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "options",
    [{"timeout_s": 0}, {"timeout_s": float("nan")}, {"error_lines": 0}, {"max_chars": 0}],
)
def test_a_limit_that_is_refused_is_named(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="timeout_s must be above 0, error_lines and max_chars"):
        PythonTool(**options)


def test_a_package_that_is_promised_must_be_there() -> None:
    with pytest.raises(MissingDependency, match=r"no_such_package.*gem-gymnasium\[tools\]"):
        PythonTool(packages=("numpy", "no_such_package"))
    assert "can be imported" not in PythonTool(packages=()).instructions()
    assert "numpy and sympy can be imported" in TOOL.instructions()


def test_the_promised_packages_can_be_imported() -> None:
    assert (
        run("import numpy, sympy; print(sympy.Integer(2) + int(numpy.ones(3).sum()))").text == "5"
    )
