"""The order of rows: a permutation of any size, another with another key."""

from collections import Counter
from itertools import pairwise

import pytest

from gem_gymnasium.tasks.shuffle import shuffled


@pytest.mark.parametrize("n", [1, 2, 3, 16, 17, 255, 256, 257, 4_097])
@pytest.mark.parametrize("key", [0, 1, 2**63 - 1])
def test_every_number_comes_once(n: int, key: int) -> None:
    assert sorted(shuffled(position, n, key) for position in range(n)) == list(range(n))


def test_another_key_is_another_order() -> None:
    orders = {tuple(shuffled(position, 100, key) for position in range(100)) for key in range(200)}
    assert len(orders) == 200


def test_each_number_is_first_about_as_often_as_another() -> None:
    firsts = Counter(shuffled(0, 10, key) for key in range(10_000))
    # 10,000 draws of 10: mean 1,000, deviation 30
    assert all(850 < firsts[number] < 1_150 for number in range(10))


def test_neighbours_in_the_set_are_no_neighbours_in_the_order() -> None:
    order = [shuffled(position, 10_000, 7) for position in range(1_000)]
    steps = [abs(after - before) for before, after in pairwise(order)]
    assert sum(step <= 10 for step in steps) < 20
