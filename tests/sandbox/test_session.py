"""A persistent interpreter: what it remembers, and what ends it."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.sandbox import Policy, PythonSession, available
from gem_gymnasium.sandbox.libraries import STANDARD, Library
from gem_gymnasium.sandbox.run import LEVELS

HERE = [name for name, why in available().items() if not why and "session" in LEVELS[name].kinds]


@pytest.fixture(params=HERE)
def session(request: pytest.FixtureRequest) -> Iterator[PythonSession]:
    session = PythonSession(Policy(time_s=1.0), request.param)
    yield session
    session.close()


def test_names_survive(session: PythonSession) -> None:
    assert session.run("x = 1\ndef f(): return x + 1").status == "ok"
    assert session.run("print(f())").output == "2\n"


def test_an_exception_leaves_the_names(session: PythonSession) -> None:
    session.run("x = 1")
    failed = session.run("1 / 0")
    assert (failed.status, failed.errors.splitlines()[-1]) == (
        "error",
        "ZeroDivisionError: division by zero",
    )
    assert session.run("print(x)").output == "1\n"


def test_an_exit_leaves_the_names(session: PythonSession) -> None:
    session.run("x = 1")
    assert session.run("import sys; sys.exit(3)").status == "error"
    assert session.run("print(x)").output == "1\n"


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("while True: pass", "timeout"),
        ("import time; time.sleep(30)", "timeout"),
        ("while True: print('x' * 1000)", "limit"),
        ("x = bytearray(2**34)", "limit"),
        ("import os; os._exit(0)", "ok"),
        ("import os; os._exit(4)", "error"),
        ("import os; os.kill(os.getpid(), 11)", "error"),
    ],
)
def test_what_ends_the_interpreter_takes_the_names(
    session: PythonSession, source: str, status: str
) -> None:
    session.run("x = 1")
    assert session.run(source).status == status
    assert not session.is_open
    assert session.run("print('x' in globals())").output == "False\n"


def test_a_run_has_its_own_deadline(session: PythonSession) -> None:
    source = "import time; time.sleep(0.3); print('done')"
    assert session.run(source, time_s=0.1).detail == "over 0.1 s"
    assert session.run(source, time_s=5).output == "done\n"


def test_more_output_than_a_pipe_holds_is_read(session: PythonSession) -> None:
    session = PythonSession(Policy(output_bytes=1_000_000), session.level)
    assert len(session.run("print('x' * 500_000)").output) == 500_001
    session.close()


def test_a_source_longer_than_a_pipe_runs(session: PythonSession) -> None:
    assert session.run("#" + "x" * 1_000_000 + "\nprint(1)").output == "1\n"


def test_output_of_a_thread_comes_with_the_next_run(session: PythonSession) -> None:
    source = (
        "import threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start()"
    )
    assert session.run(source).output == ""
    assert session.run("time.sleep(0.5)").output == "late\n"


def test_between_runs_it_stands_still() -> None:
    if "zygote" not in HERE:
        pytest.skip("no level zygote here")
    with_thread = (
        "import threading, time\nn = 0\n"
        "def count():\n    global n\n    while True: n += 1; time.sleep(0.001)\n"
        "threading.Thread(target=count, daemon=True).start()"
    )
    session = PythonSession(level="zygote")
    session.run(with_thread)
    before = int(session.run("print(n)").output)
    time.sleep(0.5)
    assert int(session.run("print(n)").output) - before < 100
    session.close()


def test_the_folder_is_kept_and_then_removed(session: PythonSession) -> None:
    session.run("open('a', 'w').write('x')")
    assert session.run("print(open('a').read())").output == "x\n"
    folder = Path(session.run("import os; print(os.getcwd())").output.strip())
    session.close()
    assert not folder.exists()


def test_closing_ends_the_process() -> None:
    session = PythonSession(level="rlimit")
    pid = int(session.run("import os; print(os.getpid())").output)
    session.close()
    session.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(ConfigError, match="the session is closed"):
        session.run("1")


def test_runs_of_threads_come_one_after_another(session: PythonSession) -> None:
    session.run("seen = []")
    threads = [
        threading.Thread(target=session.run, args=(f"seen.append({number})",))
        for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.run("print(sorted(seen) == list(range(20)))").output == "True\n"


@pytest.mark.parametrize("level", [name for name in HERE if LEVELS[name].isolated])
def test_a_library_says_what_can_be_imported(level: str) -> None:
    added = Library((*STANDARD.packages, "pluggy"), ("pluggy",))
    for library, output in ((STANDARD, "missing\n"), (added, "there\n"), (STANDARD, "missing\n")):
        session = PythonSession(Policy(time_s=10.0), level, library=library)
        source = "try:\n import pluggy\nexcept ImportError: print('missing')\nelse: print('there')"
        assert session.run(source).output == output
        session.close()


def test_a_session_whose_interpreter_was_killed_is_not_open(session: PythonSession) -> None:
    pid = int(session.run("import os; print(os.getpid())").output)
    assert session.is_open
    if session.level == "bwrap":
        return  # a number of its own namespace
    os.kill(pid, 9)
    deadline = time.monotonic() + 5
    while session.is_open and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not session.is_open


@pytest.mark.parametrize("name", HERE)
def test_the_interpreter_outlives_the_thread_that_began_it(name: str) -> None:
    session = PythonSession(level=name)
    thread = threading.Thread(target=session.run, args=("x = 7",))
    thread.start()
    thread.join()
    time.sleep(0.1)
    assert session.run("print(x)").output == "7\n"
    session.close()
