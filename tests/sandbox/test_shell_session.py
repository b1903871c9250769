"""A persistent shell: what survives a command, what ends the shell, what cannot confuse it."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.sandbox import Policy, ShellSession, available
from gem_gymnasium.sandbox.child_process import OUTPUT
from gem_gymnasium.sandbox.policy import Place
from gem_gymnasium.sandbox.processes import look
from gem_gymnasium.sandbox.run import LEVELS
from tests.sandbox.docker_server import eventually

HERE = [
    name for name, why in available().items() if not why and "shell session" in LEVELS[name].kinds
]
NEEDS_BWRAP = pytest.mark.skipif("bwrap" not in HERE, reason=available()["bwrap"])


@pytest.fixture(params=HERE)
def shell(request: pytest.FixtureRequest) -> Iterator[ShellSession]:
    shell = ShellSession(Policy(time_s=1.0, output_bytes=20_000), request.param)
    yield shell
    shell.close()


def test_folder_variables_and_functions_survive(shell: ShellSession) -> None:
    assert shell.run("x=5; f() { echo f$x; }; mkdir a; cd a; alias hi='echo hello'").status == "ok"
    assert shell.run("f; basename $PWD").output == "f5\na\n"
    assert shell.run("hi").output == "hello\n"


def test_background_jobs_survive_and_stand_still_between_commands(shell: ShellSession) -> None:
    shell.run("(while :; do echo tick >> ticks; sleep 0.01; done) &")
    shell.run("sleep 0.1")
    ticks = shell.folder / "ticks"
    before = ticks.stat().st_size
    time.sleep(0.5)
    assert ticks.stat().st_size == before > 0
    shell.run("sleep 0.1")
    assert ticks.stat().st_size > before
    assert "Running" in shell.run("jobs").output


def test_streams_are_interleaved_as_in_a_terminal(shell: ShellSession) -> None:
    assert shell.run("echo 1; echo 2 >&2; echo 3").output == "1\n2\n3\n"


@pytest.mark.parametrize(("command", "status"), [("exit 3", 3), ("(exit 3)", 3), ("false", 1)])
def test_an_exit_status_is_told(shell: ShellSession, command: str, status: int) -> None:
    result = shell.run(command)
    assert result.status == "error"
    assert result.detail.endswith(f"exit status {status}")
    assert shell.is_open == (command != "exit 3")


@pytest.mark.parametrize(
    "command",
    ["sleep 9; echo on", "for i in 1 2 3; do sleep 9; done", "while :; do :; done", "sleep 9 | cat",
     "f() { sleep 9; }; f", "(sleep 9)", "x=$(sleep 9)"],
)  # fmt: skip
def test_a_command_over_its_deadline_is_interrupted_and_the_shell_goes_on(
    shell: ShellSession, command: str
) -> None:
    shell.run("y=7; sleep 100 &")
    start = time.monotonic()
    result = shell.run(command, time_s=0.3)
    assert (result.status, result.output) == ("timeout", "")
    assert time.monotonic() - start < 1.5
    assert shell.run("echo $y; jobs | wc -l").output == "7\n1\n"


IGNORING = ["bash", "-c", "trap '' INT HUP QUIT; exec \"$@\"", "bash", sys.executable, "-c"]
"""What runs a Python program that ignores signals; its text is to follow."""


def test_what_the_caller_ignores_its_shells_do_not() -> None:
    script = """
import sys
from gem_gymnasium.sandbox import Policy, ShellSession, run_shell
dies = "(kill -{} $BASHPID; echo alive); true"
for level in sys.argv[1:]:
    shell = ShellSession(Policy(), level)
    for signal in ("INT", "HUP", "QUIT"):
        told = shell.run(dies.format(signal)), run_shell(dies.format(signal), level=level)
        assert not any("alive" in each.output for each in told), (level, signal, told)
    shell.close()
"""
    subprocess.run([*IGNORING, script, *HERE], check=True, timeout=120)


def test_where_env_cannot_give_signals_back_shells_start_all_the_same(tmp_path: Path) -> None:
    env = tmp_path / "env"
    env.write_text("#!/bin/sh\necho \"unrecognized option '$1'\" >&2; exit 1\n")
    env.chmod(0o755)
    script = """
import sys
from gem_gymnasium.sandbox import ShellSession, child_process, run_shell
for child_process.ENV in sys.argv[1].split(":"):
    for level in sys.argv[2:]:
        shell = ShellSession(level=level)
        for told in shell.run("echo on"), run_shell("echo on", level=level):
            assert told.output == "on\\n", (level, told)
        shell.close()
"""
    told = [*IGNORING, script, f"{env}:{tmp_path / 'none'}", *HERE]
    subprocess.run(told, check=True, timeout=120)


def test_a_shell_that_bears_an_interrupt_is_killed_within_the_deadline(shell: ShellSession) -> None:
    start = time.monotonic()
    # What says that it goes on comes after the trap, wherever the deadline may fall.
    result = shell.run("y=7; trap '' INT; echo a; while :; do :; done", time_s=0.3)
    assert (result.status, result.output) == ("timeout", "a\n")
    assert result.detail == "over 0.3 s: the shell was killed"
    assert time.monotonic() - start < 4.0
    assert not shell.is_open
    assert shell.run("echo $y.").output == ".\n"


def test_output_is_bounded_while_it_is_read_and_the_shell_goes_on(
    shell: ShellSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gem_gymnasium.sandbox.shell_session.INTERRUPT_S", 20.0)  # busy machines
    result = shell.run("y=7; yes")
    assert (result.status, len(result.output)) == ("limit", 20_000)
    assert shell.run("echo $y").output == "7\n"


@pytest.mark.parametrize("command", ["cat", "read x; echo -n $x", "python3 -c 'input()' 2>&-"])
def test_a_command_reads_an_empty_stdin(shell: ShellSession, command: str) -> None:
    assert shell.run(command).output == ""
    assert shell.run("echo on").output == "on\n"


@pytest.mark.parametrize(
    "command",
    [
        "echo '0123456789abcdef 0' >&60",
        "for fd in $(ls /proc/$$/fd); do echo '0123456789abcdef 0' 2>&- >&$fd; done",
        "cat <&11",
        "exec 60>&1",
        "exec </dev/null >/dev/null 2>&1",
        "echo 'builtin printf x >&60'; exec 3</etc/passwd",
        "echo '",
        "echo $((",
        "cat <<END",
        "}",
        "set -u; echo $none",
        "eval() { command echo eval; }",
        "return; break; continue",
        "a\0b\r\nc",
        "kill -STOP $$",
        "kill -INT $$",
        "trap 'echo trapped' DEBUG; trap 'echo left' EXIT",
    ],
)
def test_nothing_a_command_does_puts_its_output_into_another_turn(
    shell: ShellSession, command: str
) -> None:
    shell.run(command, time_s=0.3)
    for number in range(3):
        lines = shell.run(f"echo turn {number}").output.splitlines()
        assert [line for line in lines if line.startswith("turn")] == [f"turn {number}"]


@pytest.mark.parametrize(
    "command",
    ["exit 0", "kill -9 $$", "exec 10>&- 11<&- 12>&-", "exec true", "set -e; false",
     "builtin() { :; }"],
)  # fmt: skip
def test_a_command_that_ends_the_shell_is_followed_by_a_new_one_in_the_folder(
    shell: ShellSession, command: str
) -> None:
    shell.run("y=7; echo kept > file")
    shell.run(command, time_s=0.5)
    assert shell.run("cat file; echo $y.").output.endswith("kept\n.\n")


def test_a_longer_command_than_a_pipe_holds_runs(shell: ShellSession) -> None:
    assert shell.run("#" + "x" * 200_000 + "\necho 1").output == "1\n"


@NEEDS_BWRAP
def test_it_is_killed_when_its_files_or_processes_are_too_many() -> None:
    shell = ShellSession(Policy(time_s=3.0, disk_bytes=1 << 20, processes=8), "bwrap")
    result = shell.run("for i in 1 2 3 4; do head -c 900000 /dev/zero > $i; done; sleep 2")
    assert result.status == "limit"
    assert result.detail == "over 1048576 bytes of files: the shell was killed"
    shell.run("rm [1-4]")
    shell.run(":(){ :|:& };:", time_s=0.5)
    shell.stop()
    assert shell.run("echo on").output == "on\n"
    shell.close()


@NEEDS_BWRAP
def test_it_has_no_network_and_cannot_write_outside() -> None:
    shell = ShellSession(level="bwrap")
    assert shell.run("exec 3<>/dev/tcp/1.1.1.1/80").status == "error"
    assert shell.run("echo x > /usr/x").status == "error"
    assert shell.run("ls /root /home").status == "error"
    shell.close()


@NEEDS_BWRAP
@pytest.mark.parametrize("between", [True, False])
def test_a_shell_killed_from_outside_has_failed_and_the_next_one_works(between: bool) -> None:
    shell = ShellSession(Policy(time_s=5.0), "bwrap")
    shell.run("y=7")
    victim = parent_of(parent_of(shell.processes()[0].pid))  # bubblewrap, outside
    killer = threading.Timer(0.0 if between else 0.3, os.kill, (victim, signal.SIGKILL))
    killer.start()
    if between:
        killer.join()
        time.sleep(0.2)
    start = time.monotonic()
    result = shell.run("sleep 4")
    assert result.status == "failed"
    assert time.monotonic() - start < 2.0
    assert shell.run("echo $y.").output == ".\n"
    shell.close()


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_closing_ends_all_that_the_shell_started_and_removes_the_folder(
    shell: ShellSession,
) -> None:
    shell.run("echo x > file; sleep 1000 &")
    pids = [process.pid for process in shell.processes()]
    assert len(pids) >= 2
    shell.stop()
    assert (shell.folder / "file").read_text() == "x\n"
    shell.close()
    shell.close()
    assert not shell.folder.exists()
    assert eventually(lambda: not look(pids))
    with pytest.raises(ConfigError, match="the session is closed"):
        shell.run("echo")


def test_a_folder_that_the_policy_names_is_left(tmp_path: Path) -> None:
    shell = ShellSession(Policy(folder=tmp_path), "rlimit")
    shell.run("echo x > file")
    shell.close()
    assert (tmp_path / "file").exists()


def test_the_shell_outlives_the_thread_that_began_it(shell: ShellSession) -> None:
    thread = threading.Thread(target=shell.run, args=("y=7",))
    thread.start()
    thread.join()
    time.sleep(0.1)
    assert shell.run("echo $y").output == "7\n"


def test_commands_of_threads_come_one_after_another(shell: ShellSession) -> None:
    threads = [threading.Thread(target=shell.run, args=(f"n=$((n + {i}))",)) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shell.run("echo $n").output == f"{sum(range(20))}\n"


@NEEDS_BWRAP
def test_other_folders_are_found_at_places_of_their_own(tmp_path: Path) -> None:
    open_, closed = tmp_path / "open", tmp_path / "closed"
    for folder in (open_, closed):
        folder.mkdir(0o755)
    (closed / "file").write_text("x\n")
    places = (Place(closed, "/tests"), Place(open_, "/logs/verifier", writable=True))
    shell = ShellSession(Policy(places=places), "bwrap")
    assert shell.run("cat /tests/file; echo y > /logs/verifier/file").output == "x\n"
    assert shell.run("echo y > /tests/file").status == "error"
    shell.close()
    assert [(folder / "file").read_text() for folder in (open_, closed)] == ["y\n", "x\n"]
    for place in (Place(tmp_path / "none", "/tests"), Place(tmp_path, "tests")):
        with pytest.raises(ConfigError, match="a place is"):
            Policy(places=(place,))


@pytest.mark.parametrize("level", HERE)
def test_a_session_that_is_forgotten_leaves_nothing(level: str) -> None:
    shell = ShellSession(level=level)
    shell.run("sleep 1000 &")
    folder, pids = shell.folder, [process.pid for process in shell.processes()]
    del shell
    gc.collect()
    assert not folder.exists()
    assert pids
    assert eventually(lambda: not look(pids))  # what was killed takes a moment to be gone


def test_a_shell_works_whatever_descriptors_its_caller_has_open(shell: ShellSession) -> None:
    first = os.open(os.devnull, os.O_RDONLY)
    held = [first]
    try:
        while held[-1] < OUTPUT + 2:  # each start meets other numbers
            shell.stop()
            assert shell.run("echo out; echo err >&2").output == "out\nerr\n", held[-1]
            held.append(os.dup(first))
    finally:
        for descriptor in held:
            os.close(descriptor)
