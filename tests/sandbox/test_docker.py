"""Level docker: what a program meets, at the tests' own server and at a real engine."""

import os
import socket
import time
from pathlib import Path

import pytest

from gem_gymnasium.core.errors import ConfigError, SandboxUnavailable
from gem_gymnasium.sandbox import Policy, PythonSession
from tests.sandbox.docker_server import python, shell

pytest.importorskip("docker", reason="the extra docker is not installed")
pytest_plugins = ("tests.sandbox.docker_fixtures",)


@pytest.mark.usefixtures("any_docker")
def test_a_program_has_its_streams_and_its_status() -> None:
    source = "import sys\nprint(input(), sys.stdin.read())\nprint('e', file=sys.stderr)\nexit(3)"
    result = python(source, stdin="a\nb\nc")
    assert result == ("a b\nc\n", "e\n", "error", "docker", "exit status 3")
    result = shell("cat; echo e >&2; exit 4", stdin="abc")
    assert result == ("abc", "e\n", "error", "docker", "exit status 4")
    assert python("print(1 + 1)") == ("2\n", "", "ok", "docker", "")
    assert python("1 / 0").errors.startswith(
        'Traceback (most recent call last):\n  File "<python>", line 1, in <module>\n    1 / 0\n'
    )


@pytest.mark.usefixtures("any_docker")
def test_a_text_arrives_as_it_is_and_stdin_is_what_follows_it() -> None:
    text = "naïve 你好 '\"$`\\"
    assert python(f"print({text!r})\nprint(input())", stdin="é").output == f"{text}\né\n"
    command = f"cat <<'X'\n{text}\nX\nread a; echo $a; head -c 2; exit"
    assert shell(command, stdin="one\nabc").output == f"{text}\none\nab"
    assert python("print('\ud800')").output == "?\n"
    assert shell("", stdin="abc") == ("", "", "ok", "docker", "")
    assert python("").status == "ok"


@pytest.mark.usefixtures("any_docker")
def test_a_shell_is_bash_where_the_image_has_it_and_nothing_of_ours_is_left_in_it() -> None:
    assert shell('[[ a == a* ]] && echo "$0 $# $c."').output == "bash 0 .\n"


@pytest.mark.usefixtures("any_docker")
@pytest.mark.parametrize("source", ["print(2)", "import sys; print(len(sys.stdin.read()))"])
def test_a_long_stdin_holds_nobody_up_read_or_not(source: str) -> None:
    result = python(source, stdin="x" * 5_000_000)
    assert (result.status, result.output) == ("ok", "2\n" if "2" in source else "5000000\n")


@pytest.mark.usefixtures("any_docker")
def test_the_deadline_ends_a_program() -> None:
    source = "print('a', flush=True)\nimport time; time.sleep(60)"
    start = time.monotonic()
    result = python(source, policy=Policy(time_s=0.5))
    assert result == ("a\n", "", "timeout", "docker", "over 0.5 s")
    assert time.monotonic() - start < 20


@pytest.mark.usefixtures("any_docker")
def test_output_is_limited() -> None:
    result = python("while True: print('x' * 1000)", policy=Policy(output_bytes=5_000))
    assert (result.status, len(result.output)) == ("limit", 5_000)
    result = shell("yes >&2", policy=Policy(output_bytes=5_000))
    assert (result.status, len(result.errors)) == ("limit", 5_000)
    whole = "x" * 1_000_000
    result = python(f"print('x' * {len(whole)}, end='')", policy=Policy(output_bytes=len(whole)))
    assert (result.status, result.output) == ("ok", whole)


@pytest.mark.usefixtures("any_docker")
def test_a_program_that_closes_its_streams_is_waited_for() -> None:
    source = "import os, time\nprint('a', flush=True)\nos.close(1); os.close(2)\ntime.sleep(0.5)"
    assert python(f"{source}\nos._exit(5)") == ("a\n", "", "error", "docker", "exit status 5")
    result = python(f"{source}\ntime.sleep(60)", policy=Policy(time_s=1))
    assert (result.output, result.status) == ("a\n", "timeout")


@pytest.mark.usefixtures("any_docker")
def test_a_signal_is_named_and_a_silent_kill_is_a_limit() -> None:
    assert shell("kill -SEGV $$").detail == "killed by signal 11 (Segmentation fault)"
    assert shell("kill -KILL $$").status == "limit"
    assert shell("kill -XCPU $$", policy=Policy(cpu_s=2)).detail == "over 2 s of CPU"


@pytest.mark.usefixtures("any_docker")
def test_an_image_that_is_not_there_is_named_and_not_pulled() -> None:
    with pytest.raises(SandboxUnavailable, match=r"run `docker pull gem-test/none:1`"):
        python("print(1)", policy=Policy(image="gem-test/none:1"))
    with pytest.raises(ConfigError, match="image must name"):
        Policy(image=" ")


@pytest.mark.usefixtures("any_docker")
def test_the_level_runs_no_session() -> None:
    with pytest.raises(ConfigError, match="runs python, shell, shell session; not session"):
        PythonSession(level="docker")


# -- what only a real engine can show ------------------------------------------------------------
@pytest.mark.usefixtures("real_docker")
def test_a_program_is_nobody_without_powers() -> None:
    lines = shell("id -u; id -g; grep -E 'CapBnd|CapEff|NoNewPrivs' /proc/self/status; ulimit -n")
    assert lines.output.split() == [
        *("65534", "65534", "CapEff:", "0" * 16, "CapBnd:", "0" * 16, "NoNewPrivs:", "1", "64"),
    ]
    assert shell("env").output.find(os.environ["PATH"]) == -1


@pytest.mark.usefixtures("real_docker")
def test_a_program_reaches_no_network_and_no_process_outside() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        source = f"import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)"
        assert "ConnectionRefusedError" in python(source).errors
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
    source = "import os, socket\nprint(socket.if_nameindex(), os.getpid() < 20)\nos.kill(-1, 9)"
    result = python(source)
    assert result.output == "[(1, 'lo')] True\n"
    assert "ProcessLookupError" in result.errors


@pytest.mark.usefixtures("real_docker")
def test_only_its_folder_can_be_written() -> None:
    result = python("open('/sandbox/a', 'w'); open('/tmp/a', 'w'); open('/usr/a', 'w')")
    assert "OSError: [Errno 30] Read-only file system: '/usr/a'" in result.errors
    assert shell("touch /a /etc/a ~root/a /var/a; echo $?").output == "1\n"
    assert shell("pwd; ls -A; echo $HOME $TMPDIR").output == "/sandbox\n/sandbox /sandbox\n"
    filling = "for i in range(40): open(str(i), 'wb').write(bytes(100_000))"
    assert "No space left" in python(filling, policy=Policy(disk_bytes=1 << 20)).errors
    many = "for i in range(11_000): open(str(i), 'w').close()"
    assert "No space left" in python(many).errors


@pytest.mark.usefixtures("real_docker")
def test_cpu_memory_and_processes_are_limited() -> None:
    spin = python("while True: pass", policy=Policy(time_s=20, cpu_s=1))
    assert (spin.status, spin.detail) == ("limit", "over 1 s of CPU")
    result = python("x = b'x' * (1 << 30)", policy=Policy(memory_bytes=64 << 20))
    assert result.status == "limit"
    assert python("x = b'x' * (60 << 20)", policy=Policy(memory_bytes=64 << 20)).status == "ok"
    source = "import os, time\nfor n in range(30):\n  print(n)\n  os.fork() or time.sleep(60)"
    result = python(source, policy=Policy(processes=10))
    assert result.output.split()[-1] == "9"
    assert "BlockingIOError" in result.errors


@pytest.mark.usefixtures("real_docker")
def test_the_policys_folder_outlives_the_run(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("given")
    policy = Policy(folder=tmp_path)
    assert shell("cat in; echo made > out", policy=policy).output == "given"
    assert (tmp_path / "out").read_text() == "made\n"
    assert python("print(open('out').read())", policy=policy).output == "made\n\n"
    result = shell("yes > big", policy=Policy(folder=tmp_path, disk_bytes=1 << 20))
    assert result.status in ("limit", "error")
    assert (tmp_path / "big").stat().st_size <= 1 << 20
