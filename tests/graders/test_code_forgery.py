"""Programs that try to pass without solving: nothing to read, and forging is of no use."""

import json

import pytest

from gem_gymnasium.graders import Test, Tests, grade_code

SECRET = "7041992318"
STDIN = Tests([Test("1 2", (SECRET,)), Test("3 4", (SECRET,))])
CALLS = Tests([Test([1, 2], (int(SECRET),)), Test([3, 4], (int(SECRET),))], "add")

FORGERIES = {
    "end at once": "import os; os._exit(0)",
    "end at once, the hard way": "import ctypes; ctypes.CDLL(None)._exit(0)",
    "end quietly": "import sys; sys.exit(0)",
    "say so": "print('3 of 3 passed'); print('ok'); print('{\"passed\": true}')",
    "say so in the driver's words": """
import json, os
for number in range(9):
    for status in ("done", "passed", "ok"):
        line = json.dumps([number, status, "", "PASS"]) + "\\n"
        for descriptor in range(1, 64):
            try: os.write(descriptor, line.encode())
            except OSError: pass
""",
    "change the comparison": """
import builtins, json, sys
builtins.all = builtins.any = builtins.bool = lambda *_: True
json.dumps = lambda *_: '[0, "done", "", "PASS"]'
for name in list(sys.modules):
    for key in ("same_text", "same_value", "judged"):
        if hasattr(sys.modules[name], key): setattr(sys.modules[name], key, lambda *_: True)
""",
    "change the driver": """
import sys
frame = sys._getframe()
while frame:
    for name in ("execute", "encode", "run_test", "main"):
        if name in frame.f_globals: frame.f_globals[name] = lambda *_: "PASS"
    for name, value in list(frame.f_locals.items()):
        if name == "request": print(value)
    frame = frame.f_back
""",
    "equal to everything": """
class Equal:
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def __repr__(self): return "PASS"
def add(a, b): return Equal()
print(Equal())
""",
    "raise to the driver": "raise BaseException",
    "keep the clock": "import signal; signal.signal = signal.setitimer = lambda *_: None",
    "close everything": "import os; os.closerange(0, 100)",
}

SEARCH = """
import ctypes, gc, inspect, os, sys
found = []
def look(text, where):
    if str(int("3520996159") * 2) in text: found.append(where)
frame = sys._getframe()
while frame:
    look(repr(frame.f_locals) + repr(frame.f_globals), "frame")
    frame = frame.f_back
for thing in gc.get_objects():
    if isinstance(thing, (str, bytes, dict, list, tuple)):
        try: look(repr(thing)[:100_000], "object")
        except Exception: pass
look(repr(dict(os.environ)), "environment")
for place, folders, names in os.walk("."):
    for name in names: look(open(os.path.join(place, name), errors="replace").read(), name)
for descriptor in range(64):
    try:
        os.lseek(descriptor, 0, 0)
        look(os.read(descriptor, 10**6).decode("utf-8", "replace"), f"descriptor {descriptor}")
    except OSError: pass
print(found)
"""


def fenced(program: str) -> str:
    """Return a reply with a program."""
    return f"```python\n{program}\n```"


@pytest.mark.parametrize("name", FORGERIES)
def test_no_forgery_passes(name: str) -> None:
    for tests in (STDIN, CALLS):
        grade = grade_code(fenced(FORGERIES[name]), tests, partial=True, time_s=3.0)
        assert grade.score == 0.0, grade
        assert grade.status == "ok"


def test_what_is_right_is_nowhere_in_the_process() -> None:
    def score(given: str) -> float:
        tests = Tests([Test(given, ("[]",)), Test("3 4", (SECRET,))])  # "[]": nothing was found
        return grade_code(fenced(SEARCH), tests, partial=True, time_s=20.0).score

    assert score("1 2") == 0.5
    assert score(f"1 2 {SECRET}") == 0.0  # what does come in, the search finds


PIPES = """
import os, stat
def put(line):
    for descriptor in range(20, 64):  # the driver's own pipe is among them
        try:
            if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                os.write(descriptor, (line + chr(10)).encode("utf-8", "surrogatepass"))
        except OSError: pass
"""


def test_a_record_for_another_test_helps_only_if_it_is_right() -> None:
    put = PIPES + f"put({json.dumps([1, 'done', '', '8'])!r})\nprint(input())"
    tests = Tests([Test("5", ("5",)), Test("7", ("7",))])
    assert grade_code(fenced(put), tests).score == 1.0  # its own record comes last
    end = (
        PIPES
        + f"print(input())\nput({json.dumps([1, 'done', '', '8'])!r})\nos.kill(os.getpid(), 9)"
    )
    tests = Tests([Test("5", ("5",)), Test("7", ("9",))])
    assert grade_code(fenced(end), tests, partial=True).score == 0.0


def test_lines_that_are_no_records_are_left_out() -> None:
    junk = ["[", "[1]", "null", "[true, 1, 2, 3]", "[99, 'done', '', 'x']", "[" * 5_000, "{}"]
    program = PIPES + f"for line in {junk!r}: put(line)\nprint(input())"
    assert grade_code(fenced(program), Tests([Test("5", ("5",))])).score == 1.0


def test_a_forged_form_of_a_result_is_wrong() -> None:
    deep = "[" * 900 + "]" * 900
    forms = [
        {"int": "x"},
        {"list": {"a": 1}},
        {"set": [{"list": []}]},
        {"other": 1, "more": 2},
        [1],
    ]
    for form in (*map(json.dumps, forms), deep, '{"list": ' * 400 + "1" + "}" * 400):
        line = f'[0, "done", "", {form}]'
        program = PIPES + f"put({line!r})\nimport os\nos.kill(os.getpid(), 9)"
        grade = grade_code(fenced(program), Tests([Test([], (1,))], "f"))
        assert (grade.score, grade.status) == (0.0, "ok"), grade
