"""A persistent shell in a container: at the tests' engine, and at a real one where there is one."""

import threading
import time
from pathlib import Path

import pytest

from gem_gymnasium.core.errors import SandboxUnavailable
from gem_gymnasium.sandbox import Policy, ShellSession
from gem_gymnasium.sandbox.docker import require_image
from gem_gymnasium.sandbox.policy import Place
from tests.sandbox.docker_server import DockerServer, eventually

pytest.importorskip("docker", reason="the extra docker is not installed")
pytest_plugins = ("tests.sandbox.docker_fixtures",)


@pytest.mark.usefixtures("any_docker")
def test_the_shell_remembers_and_output_comes_in_order() -> None:
    shell = ShellSession(Policy(time_s=5.0), "docker")
    assert shell.run("x=5; f() { echo f$x; }; sleep 100 & true").status == "ok"
    assert shell.run("f; echo 1; echo 2 >&2; echo 3").output == "f5\n1\n2\n3\n"
    for number in range(20):
        assert shell.run(f"seq 2000; echo {number}").output.endswith(f"2000\n{number}\n")
    assert shell.run("jobs | wc -l; (exit 3)").detail == "exit status 3"
    shell.close()


def test_late_marks_of_an_interrupted_command_neither_show_in_the_next_nor_end_its_shell(
    docker_server: DockerServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gem_gymnasium.sandbox.shell_session.INTERRUPT_S", 20.0)  # busy machines
    shell = ShellSession(Policy(time_s=5.0, output_bytes=10_000), "docker")
    # It bears two rounds, each of which asks for a mark, and the shell is slow to write them.
    bears = "x=5; (trap '' INT; sleep 0.6); trap 'sleep 0.03' DEBUG"
    assert shell.run(bears, time_s=0.3).status == "timeout"
    assert shell.run("trap - DEBUG; echo $x").output == "5\n"
    assert shell.run(bears, time_s=0.3).status == "timeout"
    result = shell.run("trap - DEBUG; yes")
    assert (result.status, shell.is_open) == ("limit", True)
    assert {*result.output.split()} == {"y"}
    shell.close()


@pytest.mark.usefixtures("any_docker")
def test_a_command_over_its_deadline_or_output_is_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shell = ShellSession(Policy(time_s=5.0, output_bytes=10_000), "docker")
    shell.run("x=5")
    with monkeypatch.context() as patient:  # on a busy machine
        patient.setattr("gem_gymnasium.sandbox.shell_session.INTERRUPT_S", 20.0)
        for command in ("sleep 9; echo on", "while :; do :; done"):
            result = shell.run(command, time_s=0.3)
            assert (result.status, result.output) == ("timeout", "")
        assert shell.run("yes").status == "limit"
        assert shell.run("echo $x").output == "5\n"
    result = shell.run("trap '' INT; while :; do :; done", time_s=0.3)
    assert (result.status, shell.is_open) == ("timeout", False)
    assert shell.run("echo $x.").output == ".\n"
    assert shell.run("exit 3").detail == "the shell ended: exit status 3"
    shell.close()


def test_between_commands_the_container_is_paused(docker_server: DockerServer) -> None:
    shell = ShellSession(Policy(time_s=5.0), "docker")
    shell.run("(while :; do echo x >> ticks; sleep 0.01; done) & sleep 0.1")
    (container,) = docker_server.containers.values()
    ticks = Path(container.folder) / "ticks"
    before = ticks.stat().st_size
    time.sleep(0.2)
    assert ticks.stat().st_size == before > 0
    shell.run("sleep 0.1")
    assert ticks.stat().st_size > before
    shell.close()
    assert not docker_server.containers


def test_what_is_asked_of_the_engine(docker_server: DockerServer, tmp_path: Path) -> None:
    policy = Policy(places=(Place(tmp_path, "/tests"),))
    shell = ShellSession(policy, "docker", place="/app")
    shell.run("true")
    (asked,) = docker_server.asked
    mounts = {mount["Target"]: mount for mount in asked["HostConfig"]["Mounts"]}
    assert {*mounts} == {"/sandbox", "/tests", "/app"}
    assert mounts["/tests"]["ReadOnly"]
    assert not mounts["/app"]["ReadOnly"]
    assert mounts["/app"]["Source"] == mounts["/sandbox"]["Source"] == str(shell.folder.resolve())
    assert asked["HostConfig"]["NetworkMode"] == "none"
    shell.close()


def test_an_engine_that_dies_has_failed(docker_server: DockerServer) -> None:
    shell = ShellSession(Policy(time_s=20.0), "docker")
    shell.run("true")
    docker_server.dies_at = b"now"
    start = time.monotonic()
    assert shell.run("echo now; sleep 15").status == "failed"
    assert time.monotonic() - start < 12.0
    shell.close()


def test_an_image_that_is_not_there_is_refused_with_the_command(
    docker_server: DockerServer,
) -> None:
    require_image("python:3.11-slim", "unused")
    with pytest.raises(SandboxUnavailable, match=r"run `docker build -t none \.`"):
        require_image("none", "docker build -t none .")


def test_no_thread_is_left(docker_server: DockerServer) -> None:
    before = threading.active_count()
    for _ in range(3):
        shell = ShellSession(Policy(time_s=5.0), "docker")
        shell.run("sleep 100 & true")
        shell.close()
    assert eventually(lambda: threading.active_count() <= before + 1)  # the one that lasts
