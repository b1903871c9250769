"""Level docker: what it asks an engine for, and what it makes of one that fails."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gem_gymnasium.core.errors import SandboxUnavailable
from gem_gymnasium.sandbox import Policy, Result, available, container, docker
from gem_gymnasium.sandbox.container import LABEL, NOBODY
from gem_gymnasium.sandbox.docker import Docker
from gem_gymnasium.sandbox.policy import Program
from tests.sandbox.docker_server import Container, DockerServer, eventually, python, shell

pytest.importorskip("docker", reason="the extra docker is not installed")
pytest_plugins = ("tests.sandbox.docker_fixtures",)


def test_every_isolation_is_asked_for(docker_server: DockerServer) -> None:
    policy = Policy(time_s=3, memory_bytes=256 << 20, processes=7, disk_bytes=5 << 20)
    assert python("print(1)", policy=policy).status == "ok"
    (asked,) = docker_server.asked
    memory = (256 << 20) + container.INTERPRETER_BYTES
    tmpfs = "rw,nosuid,nodev,exec,size=5242880,nr_inodes=10000,uid=65534,gid=65534,mode=1777"
    assert asked["HostConfig"] == {
        "NetworkMode": "none",
        "ReadonlyRootfs": True,
        "Tmpfs": {"/sandbox": tmpfs, "/tmp": tmpfs},
        "Mounts": [],
        "Memory": memory,
        "MemorySwap": memory,
        "ShmSize": 5 << 20,
        "PidsLimit": 8,
        "Ulimits": [
            {"Name": "cpu", "Soft": 4, "Hard": 5},
            {"Name": "fsize", "Soft": 5 << 20, "Hard": 5 << 20},
            {"Name": "nofile", "Soft": 64, "Hard": 64},
            {"Name": "core", "Soft": 0, "Hard": 0},
        ],
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges"],
        "Privileged": False,
        "IpcMode": "private",
        "Init": True,
        "LogConfig": {"Type": "none", "Config": {}},
    }
    assert asked["User"] == "65534:65534"
    assert asked["WorkingDir"] == "/sandbox"
    assert asked["Healthcheck"] == {"Test": ["NONE"]}
    assert 0 < int(asked["Labels"][LABEL]) - time.time() < 60


def test_nothing_of_the_callers_environment_is_given(docker_server: DockerServer) -> None:
    python("print(1)")
    variables = dict(pair.split("=", 1) for pair in docker_server.asked[0]["Env"])
    assert variables == {
        "LANG": "C.UTF-8",
        "HOME": "/sandbox",
        "TMPDIR": "/sandbox",
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
    }


def test_the_policys_folder_is_the_programs(docker_server: DockerServer, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    owner = Path("/etc/hostname").stat().st_uid
    assert python("print(1)", policy=Policy(folder=tmp_path)).status == "ok"
    (asked,) = docker_server.asked
    mount = {"Type": "bind", "Source": str(tmp_path), "Target": "/sandbox"}
    assert asked["HostConfig"]["Mounts"] == [mount]
    assert list(asked["HostConfig"]["Tmpfs"]) == ["/tmp"]
    user = NOBODY if os.getuid() == 0 else os.getuid()
    assert asked["User"] == f"{user}:{user}"
    assert tmp_path.stat().st_uid == (tmp_path / "link").lstat().st_uid == user
    assert Path("/etc/hostname").stat().st_uid == owner


def test_a_folder_that_fills_up_ends_the_run(docker_server: DockerServer, tmp_path: Path) -> None:
    # The server mounts nothing: the program is told where the folder is.
    name = str(tmp_path / "a")
    source = f"open({name!r}, 'wb').write(bytes(2 << 20))\nimport time\ntime.sleep(60)"
    result = python(source, policy=Policy(folder=tmp_path, disk_bytes=1 << 20))
    assert (result.status, result.detail) == ("limit", "over 1048576 bytes of files")


def test_no_set_uid_program_is_left_in_the_policys_folder(
    docker_server: DockerServer, tmp_path: Path
) -> None:
    # The server mounts nothing: the program is told where the folder is.
    source = f"""
import os
os.chdir({str(tmp_path)!r})
os.mkdir("closed")
for name in ("a", "closed/a", "plain"):
    open(name, "w").close()
os.chmod("a", 0o6755)
os.chmod("closed/a", 0o4711)
os.chmod("plain", 0o440)
os.chmod("closed", 0o111)
for _ in range(25):
    os.mkdir("deep")
    os.chdir("deep")
open("a", "w").close()
os.chmod("a", 0o4755)
print("done")
"""
    assert python(source, policy=Policy(folder=tmp_path)).output == "done\n"
    modes = {name: (tmp_path / name).stat().st_mode & 0o7777 for name in ("a", "closed/a", "plain")}
    assert modes == {"a": 0o755, "closed/a": 0o711, "plain": 0o440}
    command = ["find", str(tmp_path), "-perm", "/6000"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b""


def test_what_an_image_wants_kept_outside_it_is_bounded_too(docker_server: DockerServer) -> None:
    docker_server.images["with:volumes"] = {"Config": {"Volumes": {"/data": {}}}}
    assert python("print(1)", policy=Policy(image="with:volumes")).status == "ok"
    memory = docker_server.asked[0]["HostConfig"]["Tmpfs"]
    assert memory["/data"] == memory["/tmp"]


def test_a_limit_that_the_engine_cannot_hold_is_an_error(docker_server: DockerServer) -> None:
    docker_server.warnings = ["Memory limited without swap."]
    assert python("print(1)").status == "ok"
    docker_server.warnings += ["Your kernel does not support pids limit. PIDs limit discarded."]
    with pytest.raises(SandboxUnavailable, match="cannot hold a limit: Your kernel"):
        python("print(1)")
    assert docker_server.containers == {}


# -- failures ------------------------------------------------------------------------------------
def test_out_of_memory_is_a_limit_if_the_program_failed_of_it(docker_server: DockerServer) -> None:
    docker_server.out_of_memory = True
    result = python("import os; os._exit(137)", policy=Policy(memory_bytes=1 << 20))
    assert (result.status, result.detail) == ("limit", "over 1048576 bytes of memory")
    assert python("print(1)").status == "ok"  # a process of it was killed, and it went on


def test_an_engine_that_dies_is_a_failure_at_once(docker_server: DockerServer) -> None:
    docker_server.dies_at = b"die"
    source = "print('die', flush=True)\nimport time; time.sleep(60)"
    start = time.monotonic()
    result = python(source, policy=Policy(time_s=30))
    assert (result.status, result.output) == ("failed", "die\n")
    assert "the Docker engine cannot say how a container is" in result.detail
    assert time.monotonic() - start < 10


def test_an_engine_that_hangs_is_a_failure_soon_after_the_deadline(
    docker_server: DockerServer,
) -> None:
    docker_server.hangs_at = b"hang"
    source = "print('hang', flush=True)\nimport time; time.sleep(60)"
    start = time.monotonic()
    result = python(source, policy=Policy(time_s=1))
    assert (result.status, result.output) == ("failed", "hang\n")
    assert result.detail == "the Docker engine does not answer"
    assert time.monotonic() - start < 12
    docker_server.hangs.clear()
    assert python("print(1)").status == "ok"  # the next run works


def test_a_program_that_cannot_be_started_is_a_failure(docker_server: DockerServer) -> None:
    docker_server.refuses_start = "exec: python3: executable file not found in $PATH"
    result = python("print(1)")
    why = f"the Docker engine cannot start a container: {docker_server.refuses_start}"
    assert (result.status, result.detail) == ("failed", why)
    assert docker_server.containers == {}


def test_an_image_without_what_a_program_needs_is_a_failure(
    docker_server: DockerServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    docker_server.path = "/nonexistent"  # so no python3 and no dd
    assert "could not be started: no dd" in shell("echo 1").detail
    monkeypatch.setattr(container, "PYTHON_FLAGS", ("--of-another-python",))
    result = python("print(1)")
    assert result.status == "failed"
    assert "could not be started: unknown option --of-another-python" in result.detail


def test_leftovers_of_killed_callers_are_removed(docker_server: DockerServer) -> None:
    def leave(name: str, label: str, until: float) -> None:
        docker_server.containers[name] = Container({"Labels": {label: str(int(until))}})

    def run() -> set[str]:
        with contextlib.closing(level.start(Program("python", "print(1)"), Policy())):
            return {name for name in docker_server.containers if not name.startswith("gem-")}

    now = time.time()
    leave("over", LABEL, now - 700)
    leave("may still run", LABEL, now - 500)
    leave("of another", "other", now - 700)
    level = Docker()
    assert run() == {"may still run", "of another"}
    leave("over", LABEL, now - 700)
    assert run() == {"may still run", "of another", "over"}  # it looks every ten minutes


def test_runs_leave_nothing_behind(docker_server: DockerServer) -> None:
    def used() -> tuple[int, int]:
        return len(os.listdir("/proc/self/fd")), threading.active_count()

    python("print(1)")
    before = used()
    for number in range(5):
        assert python(f"print({number})").output == f"{number}\n"
    python("while True: print('x')", policy=Policy(output_bytes=1_000))
    assert docker_server.containers == {}
    # The server's own threads are among them, and take their time.
    assert eventually(lambda: all(new <= old for new, old in zip(used(), before, strict=True)))


def test_many_at_once_lose_nothing(docker_server: DockerServer) -> None:
    results: dict[int, Result] = {}

    def one(number: int) -> None:
        results[number] = python(f"print(input() + '{number}')", stdin=str(number))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[number].output for number in range(12)] == [f"{n}{n}\n" for n in range(12)]
    assert docker_server.containers == {}


# -- whether there is one ------------------------------------------------------------------------
def test_without_the_sdk_the_level_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docker", None)
    why = "Docker's SDK is not installed: run `pip install 'gem-gymnasium[docker]'`"
    assert Docker().unavailable() == why


def test_without_an_engine_the_level_says_where_it_looked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setattr(docker, "SOCKET", str(tmp_path / "none"))
    assert "DOCKER_HOST is not set" in Docker().unavailable()
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none")
    assert "which does not exist" in available()["docker"]
    with pytest.raises(SandboxUnavailable, match="cannot be reached here: no engine is here"):
        python("print(1)")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{port}")
    assert Docker().unavailable().startswith("the Docker engine cannot be reached: ")


def test_an_engine_that_is_silent_or_of_another_system_is_none(docker_server: DockerServer) -> None:
    docker_server.system = "windows"
    assert Docker().unavailable() == "the engine has containers of windows, not of linux"
    docker_server.hangs.set()
    start = time.monotonic()
    assert "cannot be reached" in Docker().unavailable()
    assert time.monotonic() - start < 2 * docker.PING_S
