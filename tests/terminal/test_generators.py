"""The generators: solved by their solutions, by nothing else; the same for the same seed."""

import contextlib
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from gem_gymnasium.terminal import GENERATORS, Look, Task
from gem_gymnasium.terminal.layout import lay_out
from gem_gymnasium.terminal.scene import Scene, read_folder
from tests.terminal.shells import NEEDS_SHELL, TASKS, play, solution

SEEDS = range(20)


def drawn(family: str, task: str, seed: int) -> Task:
    return GENERATORS[family][task](np.random.default_rng(seed))


def test_there_are_four_tasks_in_each_of_six_families() -> None:
    assert [len(tasks) for tasks in GENERATORS.values()] == [4] * 6
    assert len({task for _, task in TASKS}) == 24


@NEEDS_SHELL
@pytest.mark.parametrize(("family", "task"), TASKS)
@pytest.mark.parametrize(
    "seeds", [SEEDS[:1], pytest.param(SEEDS[1:], marks=pytest.mark.slow)], ids=["one", "all"]
)
def test_the_solution_scores_1_and_doing_nothing_0(family: str, task: str, seeds: range) -> None:
    env = gym.make("gem/Terminal-v0", family=family, task=task)
    for seed in seeds:
        nothing = play(env, ["<submit/>"], seed)
        assert (nothing.reward, nothing.info["event"]) == (0.0, "unsolved"), seed
        end = play(env, solution(env, seed), seed)
        assert (end.reward, end.info["event"]) == (1.0, "solved"), (seed, end)
        assert end.info["task"] == task
        assert end.info["checks_passed"] == end.info["checks_total"] >= 2
    env.close()


@pytest.mark.parametrize(("family", "task"), TASKS)
def test_no_check_passes_at_the_beginning(family: str, task: str, tmp_path: Path) -> None:
    for seed in SEEDS:
        folder = tmp_path / str(seed)
        folder.mkdir()
        dealt = drawn(family, task, seed)
        lay_out(folder, dealt.files)
        scene = Scene(read_folder(folder), frozenset(dealt.daemons))
        for check in dealt.checks:
            if isinstance(check, Look):
                with contextlib.suppress(ValueError, LookupError, TypeError):  # as the checker
                    assert not check.passes(scene), seed


@pytest.mark.parametrize(("family", "task"), TASKS)
def test_a_seed_says_all_of_a_task(family: str, task: str) -> None:
    def shown(seed: int) -> tuple[object, ...]:
        dealt = drawn(family, task, seed)
        return dealt.instruction, dealt.files, dealt.solution, dealt.begin, dealt.daemons

    assert shown(1) == shown(1)
    tasks = [repr(shown(seed)) for seed in SEEDS]
    assert len({*tasks}) == len(tasks)


@pytest.mark.parametrize(("family", "task"), TASKS)
def test_the_solution_is_not_in_what_the_agent_gets(family: str, task: str) -> None:
    dealt = drawn(family, task, 0)
    for command in dealt.solution:
        assert command not in dealt.instruction
    assert dealt.name == task
    assert all(check.weight >= 1 for check in dealt.checks)
