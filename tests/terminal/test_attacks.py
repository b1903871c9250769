"""Attacks on the checker do not score, and leave nothing behind."""

import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from tests.terminal.attacks import ANSWERS, ATTACKS, Attack
from tests.terminal.shells import NEEDS_SHELL, bash, play

CASES = [(attack, task) for attack in ATTACKS for task in attack.tasks]
FAST = [(attack, attack.tasks[0]) for attack in ATTACKS]
STEP_S = 15.0


def commands_of(attack: Attack, task: str, env: gym.Env[str, str]) -> list[str]:
    base: Any = env.unwrapped
    env.reset(seed=0)
    replies = base.solution_replies()[:-1]
    inside = (reply.removeprefix("<bash>").removesuffix("</bash>") for reply in replies)
    words = {"solution": "\n".join(inside), "answer": ANSWERS.get(task, "answer")}
    return [bash(command.format(**words)) for command in attack.commands]


def tried(attack: Attack, task: str) -> None:
    env = gym.make("gem/Terminal-v0", task=task, command_timeout_s=3.0)
    replies = commands_of(attack, task, env)
    start = time.monotonic()
    end = play(env, [*replies, "<submit/>"])
    assert time.monotonic() - start < STEP_S * len(replies)
    assert end.info["valid"], end.info["error"]
    assert (end.reward, end.info["event"], end.info["success"]) == (0.0, "unsolved", False)
    env.close()
    assert not Path("hooked").exists()


@NEEDS_SHELL
@pytest.mark.parametrize(("attack", "task"), FAST, ids=lambda part: getattr(part, "name", part))
def test_an_attack_does_not_score(attack: Attack, task: str) -> None:
    tried(attack, task)


@NEEDS_SHELL
@pytest.mark.slow
@pytest.mark.parametrize(
    ("attack", "task"),
    [case for case in CASES if case not in FAST],
    ids=lambda part: getattr(part, "name", part),
)
def test_an_attack_does_not_score_at_other_tasks(attack: Attack, task: str) -> None:
    tried(attack, task)


@NEEDS_SHELL
def test_a_solution_in_the_foreground_scores_where_a_late_one_does_not() -> None:
    late = ATTACKS[0]
    env = gym.make("gem/Terminal-v0", task="word_counts")
    (command,) = commands_of(late, "word_counts", env)
    waited = command.replace("& disown", "; true").replace("sleep 0.5", "sleep 0.1")
    assert play(env, [waited, "<submit/>"]).reward == 1.0
    env.close()
