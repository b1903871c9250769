"""What each task keeps that plays offline: hub ids on local rows, reasoning-gym, own rows."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from time import thread_time
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import data_equivalence

import gem_gymnasium
from gem_gymnasium import registry
from gem_gymnasium.solvers import solver_for
from gem_gymnasium.tasks.data_sets import DATA_SETS
from gem_gymnasium.tasks.dataset_task import DatasetTask
from gem_gymnasium.tasks.reasoning_gym_names import SLOW
from gem_gymnasium.terminal import TerminalEnv
from gem_gymnasium.testing import HOSTILE_STRINGS, check_text_env
from tests.tasks.local import LOCAL

NEEDS_ROWS = [row.id("") for row in registry.TASK_ROWS if row.standard]
"""The unsuffixed ids: a file of rows is what they take."""

NO_TASKS = registry.ids("game", "terminal", "terminal-folder", "mcp", "versus")
"""Ids whose episodes are no rows: tests/test_contract.py, tests/terminal and so on."""

OFFLINE = [id for id in registry.ids() if id not in {*NO_TASKS, *LOCAL, *NEEDS_ROWS}]
"""Ids that need no download."""

QUICK = [id for id in OFFLINE if id.removeprefix("gem/RG-").removesuffix("-v0") not in SLOW]

FIRST_OF_ITS_KIND = list(
    {(row.entry_point, row.settings.get("question_key")): f"gem/{row.name}-v0" for row in DATA_SETS}
    .values()
)  # fmt: skip
"""One hub id for each code and columns: the others are the same with another name."""

RESET_LIMIT_S = 0.05


def make(id: str, **kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make(id, **{**LOCAL.get(id, {}), **kwargs})


def play(id: str, seeds: Sequence[int]) -> list[Any]:
    """Return all that came back from an episode a seed: a guess, gold, nonsense in turn."""
    env, calls = make(id), []
    task: Any = env.unwrapped
    for seed in seeds:
        calls.append(env.reset(seed=seed))
        guess = task.sample_legal_action(task.np_random)
        reply = (guess, task.gold_reply() or guess, "I do not know.")[seed % 3]
        calls.append(env.step(reply))
    env.close()
    return calls


@pytest.mark.parametrize("id", [*FIRST_OF_ITS_KIND, *(id for id in QUICK if "/RG-" not in id)])
def test_the_conformance_suite_passes(id: str) -> None:
    light = {"seeds": [1], "steps": 3} if "Code" in id else {}  # a program runs at every step
    check_text_env(lambda **kwargs: make(id, **kwargs), hostile=HOSTILE_STRINGS[::8], **light)


@pytest.mark.parametrize("id", [id for id in QUICK if "/RG-" in id])
def test_the_conformance_suite_passes_over_reasoning_gym(id: str) -> None:
    check_text_env(
        lambda **kwargs: make(id, **kwargs), seeds=[1], steps=3, hostile=HOSTILE_STRINGS[::40]
    )


@pytest.mark.parametrize(
    "id",
    [
        pytest.param(id, marks=pytest.mark.slow(22 if "integration" in id else 2))
        for id in OFFLINE
        if id not in QUICK
    ],
)
def test_the_conformance_suite_passes_over_slow_generators(id: str) -> None:
    check_text_env(
        lambda **kwargs: make(id, size=3, **kwargs),
        seeds=[1],
        steps=3,
        hostile=HOSTILE_STRINGS[::40],
    )


@pytest.mark.parametrize("id", [*LOCAL, *QUICK])
def test_an_episode_is_the_same_again_and_its_grades_are_right(id: str) -> None:
    calls = play(id, range(3))
    assert data_equivalence(calls, play(id, range(3)), exact=True)
    (_, guess, _, gold, _, nonsense) = calls
    assert all(call[2] and not call[3] for call in (guess, gold, nonsense))
    env = make(id)
    env.reset(seed=1)
    if env.unwrapped.gold_reply() is not None:  # type: ignore[attr-defined]
        assert gold[1] == 1.0
        assert gold[4]["success"]
    if env.unwrapped.config.answer_format != "any":  # type: ignore[attr-defined]
        assert (nonsense[1], nonsense[4]["event"]) == (-0.1, "malformed")


@pytest.mark.parametrize("id", [*FIRST_OF_ITS_KIND, "gem/RG-gcd-v0", "gem/RG-pool_matrix-v0"])
def test_eight_threads_play_as_each_does_alone(id: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda seed: play(id, [seed]), range(8)))
    assert data_equivalence(together, [play(id, [seed]) for seed in range(8)], exact=True)


@pytest.mark.parametrize("id", [*FIRST_OF_ITS_KIND, *QUICK])
def test_most_resets_take_at_most_50_ms(id: str) -> None:
    make(id).reset(seed=1)  # what is imported at the first item is nobody's reset
    env = make(id)
    env.reset(seed=0)
    times = []
    for _ in range(20):
        start = thread_time()
        env.reset()
        times.append(thread_time() - start)
    assert sorted(times)[16] <= RESET_LIMIT_S


@pytest.mark.parametrize("id", FIRST_OF_ITS_KIND)
def test_the_gold_solver_scores_1_wherever_there_is_a_gold(id: str) -> None:
    env = make(id)
    task: Any = env.unwrapped
    solver = solver_for(env)
    for index in range(len(task.rows)):
        observation, info = env.reset(options={"index": index})
        if task.gold_reply() is not None:
            assert env.step(solver.act(observation, info))[1] == 1.0


@pytest.mark.parametrize("id", [*FIRST_OF_ITS_KIND, *(id for id in QUICK if "/RG-" not in id)])
def test_the_class_docstring_has_every_heading(id: str) -> None:
    doc = type(make(id).unwrapped).__doc__ or ""
    for heading in (
        "Action Space", "Observation Space", "Rewards", "Episode End", "Information",
        "Arguments", "References", "Version History",
    ):  # fmt: skip
        assert f"## {heading}\n" in doc, heading


def test_every_other_id_is_a_task() -> None:
    for id in [*LOCAL, *QUICK]:
        env = make(id).unwrapped
        assert isinstance(env, DatasetTask)
        assert env.metadata["snapshot"]
    assert set(registry.ids()) == {*NO_TASKS, *LOCAL, *OFFLINE, *NEEDS_ROWS}


def test_a_key_of_info_has_one_type_in_games_tasks_and_terminals() -> None:
    kinds = dict(DatasetTask.extra_info)
    for name, kind in TerminalEnv.extra_info.items():
        assert kinds.setdefault(name, kind) is kind, name
    for id in registry.ids("game"):
        for name, kind in gym.make(id).unwrapped.extra_info.items():  # type: ignore[attr-defined]
            assert kinds.setdefault(name, kind) is kind, name


def test_mixed_ids_play_in_one_vector_env() -> None:
    envs = gem_gymnasium.make_vec(["gem/RG-gcd-v0", "gem/Sudoku-easy-v0"], 2, mode="sync")
    observations, infos = envs.reset(seed=1)
    assert len(observations) == 2
    envs.step(["<answer>1</answer>", "hm"])
    assert infos["row"].dtype.kind == "i"
    envs.close()
