"""ReasoningGym's rows: every data set, items that follow from the index, splits that never meet."""

import copy
import os
import pickle
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from reasoning_gym.factory import DATASETS, create_dataset, has_curriculum

from gem_gymnasium import registry
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.tasks.reasoning_codeio import quiet_pair
from gem_gymnasium.tasks.reasoning_gym_names import NAMES, SLOW
from gem_gymnasium.tasks.reasoning_rows import (
    DEFAULT_LEVEL,
    EVAL_SHARE,
    LONGEST,
    TRIES,
    ReasoningRows,
    shared_rows,
    split_of,
)

QUICK = [name for name in NAMES if name not in SLOW]
ORDERED = ("isomorphic_strings", "polynomial_multiplication", "ransom_note", "word_ladder")
"""Data sets that draw from a set, and here from its elements in their order."""

INDEXED = ("acre", "codeio", "gsm_symbolic", "list_functions", "pool_matrix", *ORDERED)
"""Data sets whose items do not follow from seed + index alone."""

NO_LEVEL_1 = ("knight_swap", "modulo_grid")
"""Data sets that refuse a level of their own curriculum."""

DEFAULTS: dict[str, Any] = {
    "size": 500, "seed": 42, "split": "train", "curriculum": DEFAULT_LEVEL, "deadline_s": 60.0,
    "settings": {},
}  # fmt: skip


def rows_of(dataset: str, **arguments: Any) -> ReasoningRows:
    return ReasoningRows(dataset, **{**DEFAULTS, **arguments})


def test_every_data_set_of_the_installed_package_has_an_id() -> None:
    assert set(NAMES) == set(DATASETS) - {"composite"}
    assert registry.ids("rg") == tuple(f"gem/RG-{name}-v0" for name in NAMES)
    assert set(NAMES) >= SLOW


@pytest.mark.parametrize("name", QUICK)
def test_a_row_is_an_item_of_reasoning_gym(name: str) -> None:
    rows = rows_of(name, size=20)
    row = rows.row(3)
    place = int(row.id)
    assert place % 20 == 3
    assert split_of(row.question) == "train"
    assert row.answer["question"] == row.question
    if name not in INDEXED:
        assert create_dataset(name, seed=42 + place, size=20)[0]["question"] == row.question


@pytest.mark.parametrize("name", QUICK)
def test_rows_are_the_same_in_any_order_and_nothing_else_is_touched(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    states = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    forwards = [rows_of(name, size=6, split="eval").row(index) for index in range(6)]
    again = rows_of(name, size=6, split="eval")
    assert [again.row(index) for index in reversed(range(6))] == forwards[::-1]
    assert (random.getstate(), np.random.get_state()[1].tolist()) == states  # noqa: NPY002
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["gcd", "coin_flip", "rush_hour", "arc_1d", "acre"])
def test_no_item_of_training_is_one_of_evaluation(name: str) -> None:
    def questions(split: str, seed: int) -> set[str]:
        rows = rows_of(name, size=60, split=split, seed=seed)
        return {rows.row(index).question for index in range(60)}

    train, evaluation = questions("train", 42), questions("eval", 42)
    assert len(train) > 2 < len(evaluation)
    for seed in (42, 43, 10_042):  # near seeds share items, of the one split
        assert not train & questions("eval", seed)
        assert not evaluation & questions("train", seed)


def test_about_the_announced_share_is_for_evaluation() -> None:
    gcd = create_dataset("gcd", seed=0, size=2_000)
    share = sum(split_of(item["question"]) == "eval" for item in gcd) / 2_000
    assert abs(share - 1 / EVAL_SHARE) < 0.04


def test_a_data_set_with_one_question_has_but_one_split() -> None:
    settings = {"min_n": 5, "max_n": 5}
    question = create_dataset("count_bits", **settings)[0]["question"]
    here = split_of(question)
    other = "eval" if here == "train" else "train"
    assert rows_of("count_bits", split=here, settings=settings).row(0).question == question
    with pytest.raises(ConfigError, match=f"none of {TRIES} items of count_bits belongs to split"):
        rows_of("count_bits", split=other, settings=settings).row(0)


def test_a_handle_is_shared_copied_as_itself_and_pickled_small() -> None:
    arguments = {**DEFAULTS, "settings": {"max_numbers": 3}}
    rows = shared_rows("gcd", arguments)
    assert shared_rows("gcd", arguments) is rows
    assert copy.deepcopy(rows) is rows
    data = pickle.dumps(rows)
    assert len(data) < 500
    script = f"import pickle; print(pickle.loads({data!r}).row(7).question)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == rows.row(7).question.strip()


def test_a_slow_generator_is_asked_for_what_comes_next() -> None:
    env: Any = gym.make("gem/RG-jugs-v0", size=30, seed=977)
    _, info = env.reset(seed=0)
    following = [env.reset()[1]["row"] for _ in range(3)]
    other: Any = gym.make("gem/RG-jugs-v0", size=30, seed=977)
    assert [other.reset(seed=0)[1]["row"], *(other.reset()[1]["row"] for _ in range(3))] == [
        info["row"], *following,
    ]  # fmt: skip
    asked = env.unwrapped.rows._ahead._futures
    assert len(asked) == 4 + env.unwrapped.rows.looks_ahead


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"max_number": 3}, "did you mean 'max_numbers'"),
        ({"siez": 3}, "did you mean 'size'"),
        ({"split": "evla"}, "did you mean 'eval'"),
        ({"size": 0}, "size must be at least 1"),
        ({"seed": -1}, "seed at least 0"),
        ({"deadline_s": 0.0}, "deadline_s must be above 0"),
        ({"min_value": -1}, "reasoning-gym refuses {'min_value': -1} for gcd"),
        ({"min_value": "x"}, "reasoning-gym refuses"),
        ({"curriculum": -2}, "curriculum must be a level from 0"),
        ({"dataset": "gdc"}, "did you mean 'gcd'"),
        ({"dataset": ""}, "dataset must name"),
    ],
)
def test_settings_that_make_no_sense_are_refused(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        gym.make("gem/RG-gcd-v0", **kwargs)
    assert issubclass(UnknownName, ConfigError)


def test_settings_reach_the_generator_and_are_part_of_the_identity() -> None:
    env: Any = gym.make("gem/RG-gcd-v0", min_numbers=5, max_numbers=5, size=10)
    observation, info = env.reset(seed=0)
    assert observation.count(",") == 4
    assert info["row"] < 10
    assert env.unwrapped.kwargs["max_numbers"] == 5


def test_a_curriculum_makes_the_items_harder() -> None:
    def longest(level: int) -> int:
        rows = rows_of("chain_sum", curriculum=level, size=40)
        return max(len(rows.row(index).question) for index in range(40))

    assert longest(0) < longest(2) < longest(4)


def test_settings_win_over_the_curriculum() -> None:
    rows = rows_of("gcd", curriculum=3, settings={"max_value": 7, "min_value": 2}, size=5)
    numbers = rows.row(0).question.partition(":")[2].partition(".")[0].split(",")
    assert all(2 <= int(number) <= 7 for number in numbers)


@pytest.mark.parametrize("name", NAMES)
def test_a_curriculum_is_there_where_reasoning_gym_has_one(name: str) -> None:
    if name in NO_LEVEL_1:
        with pytest.raises(ConfigError, match="reasoning-gym refuses"):
            rows_of(name, curriculum=1, size=2)
    elif has_curriculum(name):
        rows_of(name, curriculum=1, size=2)
    else:
        with pytest.raises(ConfigError, match=f"no curriculum for {name}"):
            rows_of(name, curriculum=1, size=2)


def test_codeio_poses_what_ran_and_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    rows = rows_of("codeio", size=150)
    for index in range(150):
        row = rows.row(index)
        metadata = row.answer["metadata"]
        assert metadata["input_data"] or metadata["output_data"], row.id
        assert len(row.gold) <= LONGEST
    assert capfd.readouterr() == ("", "")


def test_codeio_runs_no_snippet_that_asks_for_more_than_its_input(tmp_path: Path) -> None:
    bait = tmp_path / "bait"
    reads = f"def main_solution():\n    return open({str(bait)!r}, 'w').write('x')"
    clock = "import time\ndef main_solution():\n    return time.time()"
    inputs = "def generate_inputs(rng):\n    return {}"
    for code in (reads, clock):
        assert quiet_pair(code, inputs, random.Random(0)) == ({}, {})
    assert not bait.exists()
    plain = "def main_solution(n):\n    print(n)\n    return n + 1"
    drawn = "def generate_inputs(rng):\n    return {'n': rng.randint(5, 5)}"
    assert quiet_pair(plain, drawn, random.Random(0)) == ({"n": 5}, 6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "count"),
    [(("codeio",), 600), (ORDERED, 20), (NAMES, 2)],
    ids=["codeio", "set", "all"],
)
def test_items_are_the_same_whatever_the_hash_seed(names: tuple[str, ...], count: int) -> None:
    code = (
        "from tests.tasks.test_reasoning_rows import rows_of\n"
        f"for name in {names}:\n"
        f"    rows = rows_of(name, size={count})\n"
        f"    for row in map(rows.compute, range({count})):\n"
        "        print(repr((name, row.id, row.question, row.gold)))"
    )
    first, second = (
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout.splitlines()
        for seed in ("1", "2")
    )
    assert first == second


def test_codeio_items_are_reasoning_gyms_own() -> None:
    rows = rows_of("codeio", size=20)
    for index in (0, 7):
        row = rows.row(index)
        own = create_dataset("codeio", seed=42, size=20 * TRIES)[int(row.id)]
        assert row.question == own["question"]
