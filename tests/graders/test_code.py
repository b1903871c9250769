"""Programs: what passes, what does not and why, and programs that try to pass without solving."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.graders import COMMON_IMPORTS, Grade, Test, Tests, grade_code
from gem_gymnasium.graders.code import MAX_TOTAL_S
from gem_gymnasium.sandbox import available
from gem_gymnasium.sandbox.run import LEVELS
from gem_gymnasium.testing import HOSTILE_STRINGS

ADD = Tests([Test("1 2\n", ("3",)), Test("30 4\n", ("34",)), Test("-5 5\n", ("0",))])
CALLS = Tests([Test([1, 2], (3,)), Test([30, 4], (34,)), Test([-5, 5], (0,))], "add")
SOLUTION = "a, b = map(int, input().split())\nprint(a + b)"
ISOLATED = [name for name in ("zygote", "bwrap") if not available()[name]]


def fenced(program: str) -> str:
    """Return a reply with a program."""
    return f"Here it is:\n```python\n{program}\n```\nDone."


def graded(program: str, tests: Any = ADD, **options: Any) -> Grade:
    """Grade a program in a reply."""
    return grade_code(fenced(program), tests, **options)


@pytest.mark.parametrize("level", ISOLATED)
@pytest.mark.parametrize(
    "program",
    [
        SOLUTION,
        "import sys\na, b = map(int, sys.stdin.read().split())\nsys.stdout.write(f'{a + b}\\n')",
        "import sys\na, b = map(int, sys.stdin.buffer.readline().split())\nprint(a + b, end='')",
        "import os\na, b = map(int, os.read(0, 99).split())\nos.write(1, b'%d' % (a + b))",
        "a, b = map(int, open(0).read().split())\nprint(a + b, end='\\r\\n')",
        "import sys\nfor line in sys.stdin:\n    print(sum(map(int, line.split())))",
        "def main(): print(sum(map(int, input().split())))\nif __name__ == '__main__': main()",
        "print(sum(map(int, input().split())))\nimport sys\nsys.exit()",
        "import os\nprint(sum(map(int, input().split())), flush=True)\nos._exit(0)",
        "import threading, sys\nsys.setrecursionlimit(10**6)\nthreading.stack_size(2**26)\n"
        "def main(): print(sum(map(int, input().split())))\nthreading.Thread(target=main).start()",
        "import atexit\nx = sum(map(int, input().split()))\natexit.register(lambda: print(x))",
        "import builtins\nx = sum(map(int, input().split()))\nprint(x)\nbuiltins.print = None",
        "import sys\nprint(sum(map(int, input().split())), end='')\nsys.stdout = None",
        "import sys\nprint(sum(map(int, input().split())))\nprint('x' * 10**6, file=sys.stderr)",
    ],
)
def test_ordinary_programs_pass(program: str, level: str) -> None:
    assert graded(program, level=level) == (1.0, "ok", "3 of 3 passed")


@pytest.mark.parametrize("level", ISOLATED)
def test_functions_are_called(level: str) -> None:
    method = "class Solution:\n    def add(self, a, b):\n        return a + b"
    assert graded("def add(a, b): return a + b", CALLS, level=level).score == 1.0
    assert graded(method, CALLS._replace(function="Solution.add"), level=level).score == 1.0
    assert graded("add = lambda a, b: a - b", CALLS, level=level).score == 0.0


@pytest.mark.parametrize(
    ("program", "detail"),
    [
        ("print(3)", "1 of 3 passed, 2 wrong answer; first: test 2"),
        ("print(1 // 0)", "0 of 3 passed, 3 runtime error; first: test 1: ZeroDivisionError: "
         "integer division or modulo by zero (line 1)"),
        ("print(3); exit(1)", "0 of 3 passed, 3 runtime error; first: test 1: exit status 1"),
        ("a, b = map(int, input().split())\nwhile a == 30: pass\nprint(a + b)",
         "1 of 3 passed, 1 timeout, 1 not run; first: test 2: over 0.5 s"),
        ("a, b = map(int, input().split())\nwhile a == 30: print(a)\nprint(a + b)",
         "2 of 3 passed, 1 output limit; first: test 2: over 65536 bytes"),
        ("x = [0] * 10**11", "0 of 3 passed, 3 runtime error; first: test 1: MemoryError (line 1)"),
        ("print(", "0 of 3 passed, 3 runtime error; first: test 1: SyntaxError: '(' was never "
         "closed (<program>, line 1)"),
        ("import os\nos.kill(os.getpid(), 11)", "0 of 3 passed, 1 runtime error, 2 not run; first: "
         "test 1: killed by signal 11 (Segmentation fault)"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_told_apart(program: str, detail: str) -> None:
    grade = graded(program, time_s=0.5)
    assert grade == (0.0, "ok", detail)


def test_behind_a_timeout_no_test_is_run_unless_each_pays() -> None:
    program = "a, b = map(int, input().split())\nwhile a == 30: pass\nprint(a + b)"
    start = time.monotonic()
    assert graded("while True: pass", time_s=1.0).score == 0.0
    assert time.monotonic() - start < 3 * 1.0
    grade = graded(program, partial=True, time_s=0.5)
    assert grade.score == pytest.approx(2 / 3)
    assert grade.detail == "2 of 3 passed, 1 timeout; first: test 2: over 0.5 s"


def test_a_test_that_does_not_listen_costs_the_tests_behind_it_only() -> None:
    program = (
        "a, b = map(int, input().split())\n"
        "while a == 30:\n    try:\n        while True: pass\n    except BaseException: pass\n"
        "print(a + b)"
    )
    start = time.monotonic()
    grade = graded(program, partial=True, time_s=0.5)
    assert grade.score in (1 / 3, 2 / 3)  # told again and again, it may end
    assert time.monotonic() - start < 0.5 * 3 + 1 + 5


def test_partial_credit_is_the_fraction_that_passes() -> None:
    assert graded("print(3)", partial=True).score == 1 / 3
    assert graded("print(3)", partial=False).score == 0.0


def test_any_of_several_outputs_is_right() -> None:
    tests = Tests([Test("x", ("yes", "YES"))])
    assert [graded(f"print('{word}')", tests).score for word in ("yes", "YES", "Yes")] == [1, 1, 0]


@pytest.mark.parametrize(
    ("output", "right", "score"),
    [
        ("1\\n2\\n", "1\n2", 1),
        ("1\\r\\n2\\r\\n", "1\n2", 1),
        ("1 \\n2\\n\\n", "1\n2", 1),
        ("1\\n2", "1\r\n2\r\n", 1),
        ("1 2", "1\n2", 0),
        ("1\\n\\n2", "1\n2", 0),
        ("0.3333333", "0.33333333", 1),
        ("0.33", "0.33333333", 0),
        ("1e-7", "0.0000001", 1),
        ("2.0", "2", 1),
        ("2000000", "2000001", 0),
        ("02", "2", 0),
        ("nan", "0.5", 0),
        ("inf", "0.5", 0),
        ("x 1.50", "x 1.5", 1),
    ],
)
def test_texts_are_compared_by_line_and_number(output: str, right: str, score: float) -> None:
    assert graded(f"print('{output}', end='')", Tests([Test("", (right,))])).score == score


def test_without_a_tolerance_numbers_are_texts() -> None:
    tests = Tests([Test("", ("0.5",))])
    assert graded("print('0.50')", tests).score == 1.0
    assert graded("print('0.50')", tests, tolerance=0).score == 0.0


@pytest.mark.parametrize(
    ("result", "right", "score"),
    [
        ("[1, 2]", [1, 2], 1),
        ("(1, 2)", [1, 2], 1),
        ("[2, 1]", [1, 2], 0),
        ("{1, 2}", {2, 1}, 1),
        ("{1: 'a'}", {1: "a"}, 1),
        ("{'1': 'a'}", {1: "a"}, 0),
        ("0.1 + 0.2", 0.3, 1),
        ("float('nan')", 0.3, 0),
        ("float('nan')", float("nan"), 1),
        ("[10**5000]", [10**5000], 1),
        ("'a'", "a", 1),
        ("b'a'", "a", 0),
        ("None", None, 1),
        ("print", None, 0),
        ("__import__('numpy').array([1, 2])", [1, 2], 1),
        ("__import__('numpy').float64(0.5)", 0.5, 1),
        ("[[[[1]]]]", [[[[1]]]], 1),
        ("'\\ud800'", "\ud800", 1),
        ("type('E', (), {'__eq__': lambda self, other: True})()", 1, 0),
        ("type('I', (int,), {'__eq__': lambda self, other: True})(2)", 1, 0),
        ("type('S', (str,), {'__str__': lambda self: '1'})('2')", "1", 0),
    ],
)
def test_results_are_compared_as_values(result: str, right: Any, score: float) -> None:
    tests = Tests([Test([], (right,))], "f")
    assert graded(f"def f(): return {result}", tests).score == score


def test_arguments_keep_their_types() -> None:
    tests = Tests([Test([(1, [2]), {3}], ("((1, [2]), {3}, {1: 2.5})",), {"c": {1: 2.5}})], "f")
    assert graded("def f(a, b, c): return repr((a, b, c))", tests).score == 1.0


def test_each_test_has_the_program_anew() -> None:
    tests = Tests([Test("", ("1",)), Test("", ("1",))])
    assert graded("n = globals().get('n', 0) + 1\nprint(n)", tests).score == 1.0
    kept = (
        "import math\nmath.kept = getattr(math, 'kept', 0) + 1\nimport os\nos.chdir('/')\nprint(1)"
    )
    assert graded(kept, tests).score == 1.0


def test_a_prelude_is_there_if_it_is_asked_for() -> None:
    program = "def add(a: List[int], b): return reduce(lambda x, y: x + y, [a, b])"
    assert "NameError" in graded(program, CALLS).detail
    assert graded(program, CALLS, prelude=COMMON_IMPORTS).score == 1.0


@pytest.mark.parametrize("reply", ["", "no code", "```python\nprint(1)", "```\n```", SOLUTION])
def test_a_reply_without_a_closed_block_is_unparseable(reply: str) -> None:
    assert grade_code(reply, ADD) == (0.0, "unparseable", "no closed code block")


def test_the_last_block_counts() -> None:
    assert grade_code(fenced("print(0)") + fenced(SOLUTION), ADD).score == 1.0
    assert grade_code(fenced(SOLUTION) + fenced("print(0)"), ADD).score == 0.0


def test_limits_are_checked() -> None:
    for time_s in (0, -1, MAX_TOTAL_S + 1):
        with pytest.raises(ConfigError, match="time_s"):
            graded(SOLUTION, time_s=time_s)


def test_a_sandbox_that_is_killed_is_an_error_and_the_next_run_works(tmp_path: Path) -> None:
    if "zygote" not in ISOLATED:
        pytest.skip("no level zygote here")
    from gem_gymnasium.sandbox.libraries import STANDARD

    graded(SOLUTION, level="zygote")
    parent = LEVELS["zygote"]._parents[STANDARD]  # type: ignore[attr-defined]
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(graded, "while True: pass", time_s=10, level="zygote")
        time.sleep(0.5)
        parent.process.kill()
        grade = running.result()
    assert (grade.score, grade.status) == (0.0, "error")
    assert graded(SOLUTION, level="zygote").score == 1.0


def test_a_program_reaches_no_file_and_no_network(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    bait = tmp_path / "bait"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        graded(f"open({str(bait)!r}, 'w')")
        graded(f"__import__('socket').create_connection(('127.0.0.1', {port}))")
        server.settimeout(0.3)
        with pytest.raises(TimeoutError):
            server.accept()
    assert not bait.exists()


def test_hostile_programs_get_a_grade() -> None:
    for text in HOSTILE_STRINGS[::12]:
        grade = graded(text.replace("```", ""), time_s=2.0)
        assert grade.score == 0.0
        assert grade.status in ("ok", "unparseable"), (ascii(text[:60]), grade)
