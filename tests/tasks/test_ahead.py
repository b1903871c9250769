"""Ahead: values made in the background, waited for up to a deadline, from any thread."""

import multiprocessing
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from gem_gymnasium.core.errors import StepTimeout
from gem_gymnasium.tasks.ahead import MAX_STUCK, Ahead


def until(condition: Callable[[], bool]) -> None:
    """Wait for what happens in the background."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_what_was_prepared_is_there_at_once_and_made_once() -> None:
    made: Counter[int] = Counter()

    def square(index: int) -> int:
        made[index] += 1
        return index * index

    ahead = Ahead(square, deadline_s=20, keep=100)
    ahead.prepare([3, 4, 5])
    until(lambda: made.total() == 3)
    assert [ahead.get(index) for index in (4, 3, 5, 6, 3)] == [16, 9, 25, 36, 9]
    assert made == {3: 1, 4: 1, 5: 1, 6: 1}


def test_an_urgent_value_comes_before_those_prepared() -> None:
    order: list[int] = []
    begun, go = threading.Event(), threading.Event()

    def slow(index: int) -> int:
        begun.set()
        go.wait(20)
        order.append(index)
        return index

    ahead = Ahead(slow, deadline_s=20, keep=100)
    ahead.prepare([0])
    begun.wait(20)
    ahead.prepare([1, 2, 3])
    with ThreadPoolExecutor(1) as pool:
        urgent = pool.submit(ahead.get, 3)
        until(lambda: ahead._jobs.qsize() == 4)
        go.set()
        assert urgent.result(20) == 3
    assert order[:2] == [0, 3]


def test_a_value_that_takes_too_long_is_given_up_and_the_next_is_made() -> None:
    go = threading.Event()

    def stuck(index: int) -> int:
        if index == 0:
            go.wait(30)
        return index

    ahead = Ahead(stuck, deadline_s=0.2, keep=100)
    with pytest.raises(StepTimeout, match=r"item 0 was not generated in deadline_s=0\.2"):
        ahead.get(0)
    assert ahead.get(1) == 1
    go.set()
    until(lambda: ahead._stuck == 0)


def test_no_more_threads_are_left_behind_than_allowed() -> None:
    go = threading.Event()
    ahead = Ahead(lambda index: go.wait(30), deadline_s=0.05, keep=100)
    before = threading.active_count()
    for index in range(MAX_STUCK + 4):
        with pytest.raises(StepTimeout):
            ahead.get(index)
    assert threading.active_count() - before <= MAX_STUCK + 1
    go.set()
    until(lambda: threading.active_count() <= before + 1)


def test_an_error_is_for_whoever_asks_and_the_thread_goes_on() -> None:
    def fails(index: int) -> int:
        return 1 // index

    ahead = Ahead(fails, deadline_s=20, keep=100)
    ahead.prepare([0])
    with pytest.raises(ZeroDivisionError):
        ahead.get(0)
    assert ahead.get(1) == 1


def test_a_timeout_of_the_computation_itself_is_passed_on() -> None:
    def fails(index: int) -> int:
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        Ahead(fails, deadline_s=20, keep=100).get(0)


def test_values_are_dropped_beyond_what_is_kept_and_made_again() -> None:
    made: Counter[int] = Counter()

    def note(index: int) -> int:
        made[index] += 1
        return index

    ahead = Ahead(note, deadline_s=20, keep=2)
    assert [ahead.get(index) for index in (0, 1, 2, 0)] == [0, 1, 2, 0]
    assert made[0] == 2


def test_many_threads_get_their_own_values() -> None:
    ahead = Ahead(lambda index: index * 3, deadline_s=20, keep=1_000)
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(ahead.get, range(300))) == [index * 3 for index in range(300)]


AHEAD = Ahead(lambda index: index + 1, deadline_s=20, keep=10)


def ask_in_child(index: int) -> int:
    return AHEAD.get(index)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_has_a_thread_of_its_own() -> None:
    assert AHEAD.get(1) == 2
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(ask_in_child, (5,)).get(20) == 6
