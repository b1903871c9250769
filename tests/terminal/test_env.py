"""TerminalEnv: what a reply does, what is shown of it, how an episode ends."""

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import gem_gymnasium
from gem_gymnasium.core.errors import ConfigError, SnapshotUnsupported, UnknownName
from tests.terminal.shells import NEEDS_SHELL, bash, play, solution

pytestmark = NEEDS_SHELL


def make(task: str = "word_counts", **kwargs: Any) -> gym.Env[str, str]:
    return gym.make("gem/Terminal-v0", task=task, **kwargs)


def test_the_shell_remembers_and_its_output_is_shown_with_how_it_ended() -> None:
    env = make()
    env.reset(seed=0)
    env.step(bash("x=5; mkdir sub; cd sub"))
    observation, reward, terminated, _, info = env.step(bash("echo $x; basename $PWD; false"))
    assert observation == "5\nsub\n[exit status 1]\nTurns left: 18."
    assert (reward, terminated, info["event"], info["exit_code"]) == (0.0, False, "error", 1)
    observation, *_, info = env.step(bash("true"))
    assert observation == "(no output)\nTurns left: 17."
    assert (info["event"], info["exit_code"], info["sandbox"]) == ("ok", 0, "bwrap")
    env.close()


def test_a_tool_call_does_what_tags_do() -> None:
    env = make()
    call = '<tool_call>{"name": "bash", "arguments": {"command": "echo 1"}}</tool_call>'
    end = play(env, [call])
    assert end.observation.startswith("1\n")
    end = play(env, ['<tool_call>{"name": "submit", "arguments": {}}</tool_call>'])
    assert end.info["event"] == "unsolved"
    env.close()


def test_a_call_that_cannot_be_read_costs_a_turn_and_says_why() -> None:
    env = make()
    for reply, said in (
        ("<bash>ls", "never closed"),
        ('<tool_call>{"name": "bash", "arguments": {"cmd": "ls"}}</tool_call>', "does not fit"),
        ('<tool_call>{"name": "zsh", "arguments": {}}</tool_call>', "no tool 'zsh'"),
    ):
        end = play(env, [reply])
        assert said in end.observation
        assert (end.info["event"], end.info["legal"], end.info["turn"]) == ("bad_call", False, 1)
    env.close()


def test_the_last_turn_is_checked_as_it_is() -> None:
    env = make(max_turns=1)
    reply = "<bash>" + solution(env)[0].removeprefix("<bash>")
    end = play(env, [reply])
    assert (end.reward, end.info["event"], end.info["success"]) == (1.0, "solved", True)
    assert "The last turn is used: the work is checked.\n2 of 2 checks passed." in end.observation
    assert play(env, [bash("true")]).reward == 0.0
    env.close()


def test_a_malformed_reply_ends_the_episode_unchecked_or_costs_a_turn() -> None:
    env = make()
    first = solution(env)[0]
    end = play(env, [first, "I am done."])
    assert (end.reward, end.info["event"], end.info["success"]) == (-0.1, "malformed", False)
    patient = make(on_malformed="continue", max_turns=3)
    end = play(patient, ["hm", first, "I am done."])
    assert end.reward == pytest.approx(0.8)
    assert (end.info["event"], end.info["success"], end.info["score"]) == ("malformed", True, 1.0)
    env.close()
    patient.close()


def test_a_command_has_a_deadline_and_a_shell_may_end() -> None:
    env = make(command_timeout_s=0.3)
    env.reset(seed=0)
    observation, *_, info = env.step(bash("x=5; echo a; sleep 9"))
    assert observation.startswith("a\n[over 0.3 s: the command was interrupted]\n")
    assert (info["event"], info["exit_code"]) == ("timeout", -1)
    assert env.step(bash("echo $x"))[0].startswith("5\n")
    observation = env.step(bash("exit 4"))[0]
    assert "[the shell ended: exit status 4]\nThe next command begins in a new shell" in observation
    assert env.step(bash("echo $x; ls"))[0].startswith("\nstory.txt\n".strip("\n"))
    env.close()


def test_long_output_is_shown_without_its_middle() -> None:
    env = make(max_output_chars=100)
    end = play(env, [bash("seq 10000")])
    assert end.observation.startswith("1\n2\n3\n")
    assert "9999\n10000\n" in end.observation
    assert len(end.observation) < 150
    end = play(env, [bash("yes")])
    assert end.info["event"] == "limit"
    end = play(env, [bash("head -c 300 /dev/urandom; printf 'a\\0b\\xff'")])
    end.observation.encode("utf-8")
    env.close()


@pytest.mark.parametrize("between", [True, False])
def test_a_killed_sandbox_is_an_invalid_step_and_the_next_episode_works(between: bool) -> None:
    env = make()
    env.reset(seed=0)
    env.step(bash("x=5"))
    base: Any = env.unwrapped
    inside = base._shell.processes()[0].pid
    victim = parent_of(parent_of(inside))  # bubblewrap, outside
    killer = threading.Timer(0.0 if between else 0.3, os.kill, (victim, signal.SIGKILL))
    killer.start()
    if between:
        killer.join()
        time.sleep(0.2)
    start = time.monotonic()
    _, reward, terminated, truncated, info = env.step(bash("sleep 8"))
    assert time.monotonic() - start < 3.0
    assert (reward, terminated, truncated, info["valid"]) == (0.0, False, True, False)
    assert (info["event"], info["stop"]) == ("failed", "tool")
    assert "ToolFailure" in info["error"]
    assert play(env, solution(env)).reward == 1.0
    env.close()


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_a_model_that_kills_its_shell_has_made_its_own_mistake() -> None:
    env = make()
    end = play(env, [bash("kill -9 $$"), bash("exec true"), "<submit/>"])
    assert (end.info["valid"], end.info["event"], end.reward) == (True, "unsolved", 0.0)
    env.close()


def test_no_snapshot_can_be_taken() -> None:
    env = make()
    env.reset(seed=0)
    with pytest.raises(SnapshotUnsupported):
        gem_gymnasium.snapshot(env)
    env.close()


def test_a_folder_is_gone_with_its_episode() -> None:
    env = make()
    base: Any = env.unwrapped
    folders = []
    for reply in ("<submit/>", "hm", None):
        env.reset(seed=0)
        env.step(bash("sleep 1000 & echo"))
        folders.append(base._shell.folder)
        if reply is not None:
            env.step(reply)
    env.close()
    assert not any(folder.exists() for folder in folders)


def test_bad_arguments_are_refused_by_name() -> None:
    with pytest.raises(UnknownName, match="did you mean 'files'"):
        gym.make("gem/Terminal-v0", family="file")
    with pytest.raises(UnknownName, match="did you mean 'set_modes'"):
        make("set_mode")
    with pytest.raises(UnknownName, match="unknown task 'set_modes'"):
        gym.make("gem/Terminal-git-v0", task="set_modes")
    with pytest.raises(UnknownName, match="did you mean 'bwrap'"):
        make(level="bwra")
    with pytest.raises(ConfigError, match="command_timeout_s"):
        make(command_timeout_s=0.0)
    with pytest.raises(ConfigError, match="max_output_chars"):
        make(max_output_chars=0)
