"""Tests for the envs over generated rows: what their ids pose, and that their golds are right."""

from typing import Any

import gymnasium as gym
import pytest

import gem_gymnasium
from gem_gymnasium.core.errors import ConfigError, MissingDependency, UnknownName
from gem_gymnasium.graders import math
from gem_gymnasium.registry import GENERATED
from gem_gymnasium.tasks.dataset_task import DatasetTask

IDS = tuple(id for row in GENERATED for id in row.ids())
SEEDED = tuple(id for id in IDS if "HumanEval" not in id and "QA-" not in id)


def task(id: str, **rules: Any) -> DatasetTask:
    env = gym.make(id, **rules).unwrapped
    assert isinstance(env, DatasetTask)
    return env


@pytest.mark.parametrize("id", IDS)
def test_the_gold_answer_is_right(id: str) -> None:
    env = task(id)
    for seed in range(5):
        env.reset(seed=seed)
        _, reward, terminated, _, info = env.step(env.gold_reply() or "")
        assert (reward, terminated, info["event"]) == (1.0, True, "right"), info


@pytest.mark.parametrize("id", IDS)
def test_a_guess_is_well_formed_and_hardly_ever_right(id: str) -> None:
    env, rewards = task(id), list[float]()
    for seed in range(20):
        env.reset(seed=seed)
        _, reward, _, _, info = env.step(env.sample_legal_action(env.np_random))
        assert info["event"] in ("right", "partial", "wrong")
        rewards.append(reward)
    assert sum(rewards) <= (17 if "Logic" in id else 3)


@pytest.mark.parametrize("id", SEEDED)
def test_another_data_seed_is_another_data_set(id: str) -> None:
    first, again, other = task(id), task(id), task(id, data_seed=1)
    rows = [
        [env.rows.row(index)._replace(id="", answer="") for index in range(30)]
        for env in (first, again, other)
    ]
    assert rows[0] == rows[1]
    assert len({*rows[0]} & {*rows[2]}) <= 3


@pytest.mark.parametrize(
    ("id", "start", "many"),
    [
        *[(f"gem/Math-Synthetic-l{level}-v0", (f"level{level}/",), 1) for level in range(1, 6)],
        *[(f"gem/Logic-Rules-d{depth}-v0", (f"depth{depth}",), 1) for depth in range(6)],
        ("gem/Math-Synthetic-v0", tuple(f"level{level}/" for level in range(1, 6)), 5),
        ("gem/Logic-Rules-v0", tuple(f"depth{depth}" for depth in range(6)), 6),
        ("gem/QA-Sample-1hop-v0", ("river_region/", "river_length/", "town_region/"), 2),
        ("gem/QA-Sample-2hop-v0", ("town_region/", "river_region/"), 1),
    ],
)
def test_a_variant_poses_its_level_and_the_plain_id_all(
    id: str, start: tuple[str, ...], many: int
) -> None:
    rows = task(id).rows
    found = {next(one for one in start if rows.row(at).id.startswith(one)) for at in range(60)}
    assert len(found) == many


@pytest.mark.parametrize(
    ("id", "rules", "said"),
    [
        ("gem/Math-Synthetic-v0", {"size": 0}, "size must be at least 1"),
        ("gem/Math-Synthetic-v0", {"data_seed": -1}, "data_seed must be at least 0"),
        ("gem/Math-Synthetic-v0", {"min_level": 6}, "1 <= min_level <= max_level <= 5"),
        ("gem/Math-Synthetic-l2-v0", {"max_level": 1}, "1 <= min_level <= max_level <= 5"),
        ("gem/Logic-Rules-v0", {"max_depth": 6}, "0 <= min_depth <= max_depth <= 5"),
        ("gem/Code-Synthetic-v0", {"max_tests": 0}, "max_tests must be at least 1"),
    ],
)
def test_rules_that_cannot_be_are_refused(id: str, rules: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        gym.make(id, **rules)


@pytest.mark.parametrize("id", SEEDED)
def test_unknown_rules_are_refused(id: str) -> None:
    with pytest.raises(UnknownName, match="data_seed"):
        gym.make(id, data_seeed=1)


def test_every_generated_id_is_registered() -> None:
    assert {*IDS} <= {*gem_gymnasium.registry.ids()}


def test_without_math_verify_a_math_task_is_refused_when_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    math.require_math_verify.cache_clear()
    monkeypatch.setattr(math, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"pip install 'gem-gymnasium\[tasks\]'"):
        gym.make("gem/Math-Synthetic-v0")
