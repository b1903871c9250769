"""Task folders in the layouts of Terminal-Bench and Harbor: read, played, refused with a reason."""

import shutil
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

from gem_gymnasium.core.errors import (
    ConfigError,
    GraderError,
    MissingDependency,
    SandboxUnavailable,
)
from gem_gymnasium.terminal import task_folder
from gem_gymnasium.terminal.checker import Verdict
from gem_gymnasium.terminal.folder_tests import results_of, reward_of
from gem_gymnasium.terminal.task_folder import read_task_folder
from tests.sandbox.docker_server import DockerServer
from tests.terminal.shells import NEEDS_SHELL, bash, play, solution

pytest.importorskip("docker", reason="the extra docker is not installed")
pytest_plugins = ("tests.sandbox.docker_fixtures",)

FOLDERS = Path(__file__).parent / "folders"
LAYOUTS = {"harbor": "harbor", "terminal_bench": "terminal-bench"}


def make(folder: Path | str, **kwargs: Any) -> gym.Env[str, str]:
    return gym.make("gem/Terminal-Folder-v0", folder=str(folder), **kwargs)


@pytest.fixture(params=LAYOUTS)
def copied(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDERS / request.param, tmp_path / request.param))


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_folder_is_read(name: str) -> None:
    task = read_task_folder(FOLDERS / name)
    assert (task.layout, task.needs_image, task.test_s) == (LAYOUTS[name], False, 20.0)
    assert "/app/" in task.instruction
    assert task.solution.startswith("#!/bin/bash")
    wanted = {"harbor": {"notes/shopping.txt"}, "terminal_bench": {"greet.sh"}}[name]
    assert {*task.files} == wanted
    assert {"harbor": "test.sh", "terminal_bench": "run-tests.sh"}[name] in task.tests


@NEEDS_SHELL
@pytest.mark.parametrize("name", LAYOUTS)
def test_its_solution_scores_1_and_doing_nothing_0(name: str) -> None:
    env = make(FOLDERS / name)
    nothing = play(env, [bash("ls -R /app; ls /tests /logs"), "<submit/>"])
    assert (nothing.reward, nothing.info["event"]) == (0.0, "unsolved")
    end = play(env, solution(env))
    assert (end.reward, end.info["success"], end.info["task"]) == (1.0, True, name)
    assert end.info["family"] == LAYOUTS[name]
    env.close()


@NEEDS_SHELL
def test_a_part_of_the_tests_is_a_part_of_the_reward() -> None:
    env = make(FOLDERS / "harbor")
    end = play(env, [bash("sort -u /app/notes/shopping.txt > sorted.txt"), "<submit/>"])
    assert (end.reward, end.info["event"]) == (0.5, "unsolved")
    env.close()
    env = make(FOLDERS / "terminal_bench")
    mended = "printf 'echo \"Hello, $1!\"' > /app/greet.sh"
    end = play(env, [bash(mended), "<submit/>"])
    assert (end.reward, end.info["event"]) == (pytest.approx(2 / 3), "partial")
    assert (end.info["checks_passed"], end.info["checks_total"]) == (2, 3)
    env.close()


@NEEDS_SHELL
def test_the_agent_sees_no_tests_and_its_own_reward_does_not_count() -> None:
    env = make(FOLDERS / "harbor")
    forged = "ls /tests; mkdir -p /logs/verifier; echo 1 | tee /logs/verifier/reward.txt reward.txt"
    end = play(env, [bash(forged), bash("(sleep 1; cp /tests/expected.txt sorted.txt) & disown")])
    assert "No such file" in play(env, [bash(forged)]).observation
    end = play(env, [bash(forged), bash("mkdir tests; echo 'echo 1' > tests/test.sh"), "<submit/>"])
    assert end.reward == 0.0
    env.close()


@NEEDS_SHELL
def test_the_env_keeps_gymnasium_s_contract() -> None:
    check_env(make(FOLDERS / "harbor").unwrapped)


@NEEDS_SHELL
def test_harbor_tests_that_say_nothing_are_an_invalid_step(copied: Path) -> None:
    if copied.name != "harbor":
        pytest.skip("Terminal-Bench's tests always end")
    (copied / "tests/test.sh").write_text("exit 1\n")
    env = make(copied)
    end = play(env, ["<submit/>"])
    assert (end.info["valid"], end.info["stop"]) == (False, "grader")
    env.close()


def test_a_folder_with_an_image_says_what_is_missing(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = copied / "environment" if copied.name == "harbor" else copied
    (place / "Dockerfile").write_text("FROM debian\n")
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with pytest.raises(
        SandboxUnavailable, match="no engine is here: DOCKER_HOST is unix:///nowhere"
    ):
        make(copied)
    with pytest.raises(ConfigError, match="needs an image, so level 'docker', not 'bwrap'"):
        make(copied, level="bwrap")


def test_a_folder_with_an_image_works_in_it(copied: Path, docker_server: DockerServer) -> None:
    place = copied / "environment" if copied.name == "harbor" else copied
    (place / "Dockerfile").write_text("FROM debian\n")
    image = f"gem-task-{copied.name.replace('_', '-')}"
    with pytest.raises(SandboxUnavailable, match=rf"run `docker build -t {image} {place}`"):
        make(copied)
    docker_server.images[image] = {"Config": {}}
    env = make(copied)
    end = play(env, [bash("echo hello")])
    assert end.observation.startswith("hello\n")
    assert end.info["sandbox"] == "docker"
    copying, working = docker_server.asked
    assert (copying["Image"], working["Image"]) == (image, image)
    targets = {mount["Target"] for mount in working["HostConfig"]["Mounts"]}
    assert targets == {"/sandbox", "/app"}
    env.close()
    assert not docker_server.containers


def test_what_a_folder_lacks_is_named(copied: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="give a task folder"):
        gym.make("gem/Terminal-Folder-v0")
    with pytest.raises(ConfigError, match=r"neither a task\.yaml .* nor a task\.toml"):
        make(tmp_path)
    shutil.rmtree(copied / "tests")
    with pytest.raises(ConfigError, match="has no tests"):
        make(copied)
    told = copied / ("task.toml" if copied.name == "harbor" else "task.yaml")
    told.write_text("[[[")
    with pytest.raises(ConfigError, match=r"is no (TOML|YAML)"):
        make(copied)


def test_without_a_yaml_reader_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_folder.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"pip install 'gem-gymnasium\[docker\]'"):
        read_task_folder(FOLDERS / "terminal_bench")


@pytest.mark.parametrize(
    ("output", "ended_well", "verdict"),
    [
        ("PASSED t.py::a\nFAILED t.py::b - assert 1 == 2\n", False, Verdict(1, 2, 0.5)),
        ("t.py::a PASSED [ 50%]\nt.py::b ERROR [100%]\n", False, Verdict(1, 2, 0.5)),
        ("t.py::a PASSED [ 50%]\nFAILED t.py::a\n", False, Verdict(0, 1, 0.0)),
        ("all is well\n", True, Verdict(1, 1, 1.0)),
        ("", False, Verdict(0, 1, 0.0)),
    ],
)
def test_results_are_read(output: str, ended_well: bool, verdict: Verdict) -> None:
    assert results_of(output, ended_well) == verdict


@pytest.mark.parametrize(
    ("name", "data", "score"),
    [
        ("reward.txt", b"1\n", 1.0), ("reward.txt", b" 0.25 ", 0.25), ("reward.txt", b"7", 1.0),
        ("reward.json", b'{"reward": 0.5, "other": 1}', 0.5),
        ("reward.json", b'{"a": 1, "b": 0}', 0.5),
    ],
)  # fmt: skip
def test_a_reward_file_is_read(name: str, data: bytes, score: float) -> None:
    assert reward_of(name, data).score == score


@pytest.mark.parametrize(
    ("name", "data"),
    [("reward.txt", b""), ("reward.txt", b"nan"), ("reward.txt", b"\xff"), ("reward.json", b"{}"),
     ("reward.json", b"[1]"), ("reward.json", b'{"reward": null}'), ("reward.json", b"[" * 99_999)],
)  # fmt: skip
def test_a_reward_file_that_says_nothing_is_the_grader_s_failure(name: str, data: bytes) -> None:
    with pytest.raises(GraderError, match="of the tests says"):
        reward_of(name, data)
