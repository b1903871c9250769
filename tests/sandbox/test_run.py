"""What run_python and run_shell promise, at every level that this machine has."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.sandbox import (
    Policy,
    Result,
    SandboxUnavailable,
    available,
    run_python,
    run_shell,
)
from gem_gymnasium.sandbox.libraries import STANDARD
from gem_gymnasium.sandbox.run import LEVELS, choose

HERE = [name for name, why in available().items() if not why and name != "docker"]
PYTHON = [name for name in HERE if "python" in LEVELS[name].kinds]
SHELL = [name for name in HERE if "shell" in LEVELS[name].kinds]
QUICK = Policy(time_s=1.0)


@pytest.fixture(params=PYTHON)
def python(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=SHELL)
def shell(request: pytest.FixtureRequest) -> str:
    return request.param


def test_a_program_prints(python: str) -> None:
    assert run_python("print(1+1)", level=python) == Result("2\n", "", "ok", python, "")


def test_a_program_reads_its_input(python: str) -> None:
    done = run_python("print(input()[::-1])\nprint(input())", stdin="abc\nd\n", level=python)
    assert done.output == "cba\nd\n"


def test_numpy_and_sympy_are_there(python: str) -> None:
    source = "import numpy as np, sympy as sp; print(np.arange(3).sum(), sp.Integer(7) ** 2)"
    assert run_python(source, policy=Policy(time_s=20), level=python).output == "3 49\n"


def test_an_exception_is_the_programs_error(python: str) -> None:
    done = run_python("def f():\n    return 1 / 0\nf()", level=python)
    assert (done.status, done.detail) == ("error", "exit status 1")
    assert done.errors.splitlines()[0] == "Traceback (most recent call last):"
    assert done.errors.splitlines()[1].strip() == 'File "<python>", line 3, in <module>'
    assert "    return 1 / 0" in done.errors
    assert done.errors.splitlines()[-1] == "ZeroDivisionError: division by zero"


def test_an_exit_status_is_told(python: str) -> None:
    done = run_python("import sys; print('so far'); sys.exit(3)", level=python)
    assert done == Result("so far\n", "", "error", python, "exit status 3")


def test_output_before_the_deadline_is_kept(python: str) -> None:
    start = time.monotonic()
    done = run_python("print('so far')\nwhile True: pass", policy=QUICK, level=python)
    assert done == Result("so far\n", "", "timeout", python, "over 1 s")
    assert time.monotonic() - start < 1 + 4


def test_too_much_output_ends_the_program(python: str) -> None:
    source = "while True: print('x' * 1000)"
    done = run_python(source, policy=Policy(output_bytes=5_000), level=python)
    assert (done.status, done.detail) == ("limit", "output over 5000 bytes")
    assert len(done.output) == 5_000


def test_output_that_just_fits_is_whole(python: str) -> None:
    done = run_python("print('x' * 4999)", policy=Policy(output_bytes=5_000), level=python)
    assert (done.status, len(done.output)) == ("ok", 5_000)


def test_too_much_memory_ends_the_program(python: str) -> None:
    done = run_python("x = bytearray(2**31)", policy=Policy(memory_bytes=1 << 28), level=python)
    assert (done.status, done.detail) == ("limit", "over 268435456 bytes of memory")


def test_too_much_cpu_ends_the_program(python: str) -> None:
    policy = Policy(time_s=20.0, cpu_s=1)
    done = run_python("while True: pass", policy=policy, level=python)
    assert (done.status, done.detail) == ("limit", "over 1 s of CPU")


def test_a_signal_is_told(python: str) -> None:
    done = run_python("import os; os.kill(os.getpid(), 11)", level=python)
    assert done.status == "error"
    assert done.detail == "killed by signal 11 (Segmentation fault)"


def test_a_real_time_signal_is_told(python: str) -> None:
    done = run_python("import os; os.kill(os.getpid(), 40)", level=python)
    assert done.status == "error"
    assert "40" in done.detail


def test_what_cannot_be_decoded_is_replaced(python: str) -> None:
    done = run_python("import sys; sys.stdout.buffer.write(b'\\xff\\xfe')", level=python)
    assert done.output == "\ufffd\ufffd"


@pytest.mark.parametrize("source", ["\x00", "print(1)\x00", "(" * 9000])
def test_a_source_that_is_no_program_is_the_programs_error(python: str, source: str) -> None:
    assert run_python(source, level=python).status == "error"


def test_the_longest_reply_runs(python: str) -> None:
    assert run_python("#" + "x" * 1_000_000 + "\nprint(1)", level=python).output == "1\n"


def test_threads_are_waited_for(python: str) -> None:
    source = (
        "import threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(0.1), print('late'))).start()\nprint('main')"
    )
    assert run_python(source, level=python).output == "main\nlate\n"


def test_nothing_of_the_callers_environment_is_there(
    python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEM_SECRET", "hunter2")
    done = run_python("import os; print(sorted(os.environ))", level=python)
    assert "GEM_SECRET" not in done.output
    assert "PYTHONPATH" not in done.output
    assert "HOME" in done.output


def test_each_run_has_an_empty_folder(python: str) -> None:
    source = "import os; print(os.listdir()); open('left', 'w').write('x')"
    assert [run_python(source, level=python).output for _ in range(2)] == ["[]\n", "[]\n"]


def test_a_folder_of_the_callers_outlives_the_run(python: str, tmp_path: Path) -> None:
    tmp_path.joinpath("given").write_text("in")
    policy = Policy(folder=tmp_path)
    source = (
        "t = open('given').read(); open('made', 'w').write(t * 2); open('given', 'a').write('+')"
    )
    assert run_python(source, policy=policy, level=python).status == "ok"
    again = run_python(
        "print(open('made').read(), open('given').read())", policy=policy, level=python
    )
    assert again.output == "inin in+\n"
    assert tmp_path.joinpath("made").read_text() == "inin"


def test_the_same_program_gives_the_same_output(python: str) -> None:
    source = "import random; print(hash('a'), list({'x', 'y', 'z'}))"
    if python == "zygote":
        source += "\nprint(random.random()); import numpy; print(numpy.random.rand())"
    assert len({run_python(source, level=python).output for _ in range(3)}) == 1


def test_hidden_packages_are_missing_not_forbidden(python: str) -> None:
    if not LEVELS[python].isolated:
        pytest.skip("nothing is hidden there")
    done = run_python("import pytest", level=python)
    assert done.errors.splitlines()[-1] == "ModuleNotFoundError: No module named 'pytest'"
    source = f"open({pytest.__file__!r})"
    assert run_python(source, level=python).status == "error"


def test_a_command_runs(shell: str) -> None:
    done = run_shell("cat; echo err >&2; exit 4", stdin="in", level=shell)
    assert done == Result("in", "err\n", "error", shell, "exit status 4")


def test_a_command_sees_its_tools(shell: str) -> None:
    done = run_shell(
        "printf 'b\\na\\n' | sort | awk '{print NR $1}'; python3 -c 'print(3)'", level=shell
    )
    assert (done.output, done.status) == ("1a\n2b\n3\n", "ok")


@pytest.mark.parametrize("command", ["echo \x00x", "echo '", "\ud800", "", "x" * 300_000])
def test_any_command_has_a_result(shell: str, command: str) -> None:
    assert run_shell(command, level=shell).status in ("ok", "error", "limit")


def test_what_a_command_leaves_behind_is_killed(shell: str) -> None:
    if not LEVELS[shell].isolated:
        pytest.skip("not covered there")
    mark = f"sleep 98{os.getpid()}"
    start = time.monotonic()
    done = run_shell(f"(setsid {mark} &) ; echo gone", level=shell)
    assert done.output == "gone\n"
    assert time.monotonic() - start < 4
    assert mark not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout


def test_a_child_that_holds_the_output_open_holds_nobody(shell: str) -> None:
    start = time.monotonic()
    done = run_shell(
        "trap '' TERM HUP; sleep 30 & exec 1>&- 2>&-; sleep 30", policy=QUICK, level=shell
    )
    assert done.status == "timeout"
    assert time.monotonic() - start < 1 + 4


def test_many_threads_lose_nothing(python: str) -> None:
    results: dict[int, str] = {}

    def run(number: int) -> None:
        policy = Policy(time_s=30)
        results[number] = run_python(f"print({number})", policy=policy, level=python).output

    threads = [threading.Thread(target=run, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: f"{number}\n" for number in range(40)}


def test_a_mistake_of_the_callers_raises() -> None:
    with pytest.raises(UnknownName, match="did you mean 'zygote'"):
        run_python("1", level="zigote")
    with pytest.raises(ConfigError, match="level 'zygote' runs python, session; not shell"):
        run_shell("true", level="zygote")
    for bad in ({"time_s": 0}, {"time_s": float("inf")}, {"cpu_s": 0}, {"processes": -1}):
        with pytest.raises(ConfigError, match=next(iter(bad))):
            Policy(**bad)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="folder must be an existing folder, got '/no/such'"):
        Policy(folder=Path("/no/such"))


def test_without_isolation_nothing_runs_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    for level in LEVELS.values():
        if level.isolated:
            monkeypatch.setattr(type(level), "unavailable", lambda self: "not here")
    with pytest.raises(
        SandboxUnavailable, match="nothing on this machine isolates a python program"
    ):
        run_python("1")
    with pytest.raises(SandboxUnavailable, match="level 'bwrap' cannot be reached here: not here"):
        run_shell("1", level="bwrap")
    assert choose("python", "rlimit").name == "rlimit"


def kill_when_running(pid: int, tmp_path: Path) -> threading.Thread:
    """Kill a process as soon as the program under test says that it runs."""

    def watch() -> None:
        deadline = time.monotonic() + 20
        while not (tmp_path / "runs").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


RUNS = "import time; open('runs', 'w').close(); time.sleep(30)"


@pytest.mark.skipif("zygote" not in HERE, reason="no level zygote here")
def test_killing_the_zygote_fails_the_run_and_only_it(tmp_path: Path) -> None:
    run_python("1", level="zygote")
    parent = LEVELS["zygote"]._parents[STANDARD]  # type: ignore[attr-defined]
    killer = kill_when_running(parent.process.pid, tmp_path)
    start = time.monotonic()
    policy = Policy(time_s=10, folder=tmp_path)
    done = run_python(RUNS, policy=policy, level="zygote")
    killer.join()
    assert (done.status, done.detail) == ("failed", "the sandbox's parent died")
    assert time.monotonic() - start < 10
    assert run_python("print(1)", level="zygote").output == "1\n"


@pytest.mark.skipif("zygote" not in HERE, reason="no level zygote here")
def test_a_zygote_that_stands_still_fails_the_run_within_the_deadline(tmp_path: Path) -> None:
    run_python("1", level="zygote")
    parent = LEVELS["zygote"]._parents[STANDARD]  # type: ignore[attr-defined]
    os.kill(parent.process.pid, signal.SIGSTOP)
    start = time.monotonic()
    done = run_python("print(1)", policy=QUICK, level="zygote")
    assert done.status == "failed"
    assert time.monotonic() - start < 1 + 12
    assert run_python("print(1)", level="zygote").output == "1\n"


@pytest.mark.skipif("bwrap" not in HERE, reason="no level bwrap here")
def test_killing_bwrap_fails_the_run_and_only_it(tmp_path: Path) -> None:
    found: list[int] = []

    def kill() -> None:
        deadline = time.monotonic() + 20
        while not (tmp_path / "runs").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        for thread in Path("/proc/self/task").iterdir():
            for pid in map(int, (thread / "children").read_text().split()):
                if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"bwrap"):
                    found.append(pid)
                    os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    policy = Policy(time_s=10, folder=tmp_path)
    done = run_shell("touch runs; sleep 30", policy=policy, level="bwrap")
    killer.join()
    assert found
    assert done.status == "failed"
    assert run_shell("echo 1", level="bwrap").output == "1\n"


@pytest.mark.skipif("zygote" not in HERE, reason="no level zygote here")
def test_a_forked_process_has_a_zygote_of_its_own() -> None:
    code = (
        "import os\nfrom gem_gymnasium.sandbox import run_python\n"
        "assert run_python('print(1)').output == '1\\n'\n"
        "pid = os.fork()\n"
        "ok = all(run_python(f'print({n})').output == f'{n}\\n' for n in range(5))\n"
        "if pid == 0: os._exit(0 if ok else 1)\n"
        "assert ok and os.waitpid(pid, 0)[1] == 0\n"
        "print('both')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("both\n", 0), done.stderr
