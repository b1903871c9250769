"""Rows: handles that are cheap to copy, and rows that are the same whenever they are asked for."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.tasks.rows import Generated, Listed, Row
from tests.tasks.local import addition


def test_a_generated_row_depends_on_seed_and_index_alone() -> None:
    rows, again = (Generated(addition, size=100, seed=3, digits=4) for _ in range(2))
    forwards = [rows.row(index) for index in range(100)]
    backwards = [again.row(index) for index in reversed(range(100))]
    assert forwards == backwards[::-1]
    assert forwards[7].id == "7"
    other = Generated(addition, size=100, seed=4, digits=4)
    assert sum(other.row(index) == forwards[index]._replace() for index in range(100)) < 3


def test_a_row_is_the_same_from_every_thread() -> None:
    rows = Generated(addition, size=1_000, seed=0, digits=4)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda i: rows.row(i % 100), range(1_000)))
    assert together == [rows.compute(i % 100) for i in range(1_000)]


@pytest.mark.parametrize(
    "rows",
    [Generated(addition, size=10**9, seed=0, digits=2), Listed([Row("a", "b", "c")] * 60_000)],
    ids=lambda rows: type(rows).__name__,
)
def test_a_copy_of_a_handle_is_itself(rows: Generated | Listed) -> None:
    assert copy.deepcopy({"data": rows})["data"] is rows
    assert copy.copy(rows) is rows


def test_generated_rows_pickle_as_what_makes_them() -> None:
    rows = Generated(addition, size=10**9, seed=5, digits=2)
    expected = [rows.row(index) for index in range(60)]
    data = pickle.dumps(rows)
    assert len(data) < 200
    twin = pickle.loads(data)
    assert [twin.row(index) for index in range(60)] == expected
    assert twin.name == rows.name


@pytest.mark.parametrize(("size", "seed"), [(0, 0), (1, -1)])
def test_sizes_and_seeds_that_make_no_sense_are_refused(size: int, seed: int) -> None:
    with pytest.raises(ConfigError, match="at least"):
        Generated(addition, size=size, seed=seed, digits=2)


def test_no_row_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one Row"):
        Listed([])


def test_rows_may_come_from_a_generator() -> None:
    rows = Listed(Row(str(each), "b", "c") for each in range(3))
    assert [rows.row(each).id for each in range(len(rows))] == ["0", "1", "2"]


def test_what_is_no_row_is_refused_before_it_is_posed() -> None:
    rows: list[Any] = [Row("a", "b", "c"), {"question": "b", "answer": "c"}]
    with pytest.raises(ConfigError, match=r"must hold Row\(id=.*, got {'question'.* at 1"):
        Listed(rows)
