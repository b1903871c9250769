"""branch: copies of a live episode that differ from each other in what is drawn next."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gem_gymnasium import branch, restore, snapshot
from gem_gymnasium.core.errors import (
    ConfigError,
    StepOutsideEpisode,
)
from tests.core.stacks import (
    STACKS,
    AnyEnv,
    Coin,
    begun,
    continuation,
)
from tests.helpers import boxed


def resets(envs: Sequence[AnyEnv], count: int = 3) -> list[list[str]]:
    """Return the texts of the next resets of each env, a move in between."""
    seen: list[list[str]] = []
    for env in envs:
        texts = list[str]()
        for _ in range(count):
            env.reset()
            texts.append(env.step(boxed("1 2 3 4"))[0])
        seen.append(texts)
    return seen


def test_copies_take_the_same_next_step() -> None:
    env = begun(STACKS["all"])
    copies = branch(env, 3)
    assert len(copies) == 3
    assert len({id(copy.unwrapped) for copy in (env, *copies)}) == 4
    expected = continuation(env, steps=3)
    for copy in copies:
        assert type(copy) is type(env)
        assert continuation(copy, steps=3) == expected


def test_the_first_copy_draws_what_the_original_would_and_the_others_do_not() -> None:
    env = begun(STACKS["made"])
    copies = branch(env, 4)
    first, *others = resets(copies, 6)
    assert [first] == resets([env], 6)
    assert len({tuple(texts) for texts in (first, *others)}) == 4


def test_a_step_that_draws_differs_between_the_copies() -> None:
    env = Coin()
    env.reset(seed=1)
    copies = branch(env, 5)
    draws = [copy.step("")[0] for copy in copies]
    assert len(set(draws)) == 5
    assert draws[0] == env.step("")[0]


def test_the_original_is_untouched_and_two_calls_give_the_same() -> None:
    env, quiet = begun(STACKS["all"]), begun(STACKS["all"])
    before = snapshot(env)
    one, two = branch(env, 3), branch(env, 3)
    assert snapshot(env) == before
    assert [snapshot(copy) for copy in one] == [snapshot(copy) for copy in two]
    for copy in one:
        continuation(copy)
    assert snapshot(env) == before
    assert [continuation(copy) for copy in two] == [continuation(copy) for copy in branch(env, 3)]
    assert continuation(env) == continuation(quiet)


def test_more_copies_leave_the_first_ones_as_they_were() -> None:
    env = begun(STACKS["made"])
    assert resets(branch(env, 2)[1:]) == resets(branch(env, 5)[1:2])


def test_copies_of_copies_differ_from_all_the_others() -> None:
    env = Coin()
    env.reset(seed=1)
    copies = branch(env, 3)
    for copy in tuple(copies):
        copies += branch(copy, 3)[1:]
    draws = [copy.step("")[0] for copy in copies]
    assert len(set(draws)) == len(draws) == 9


def test_a_copy_can_be_saved_and_branched_again() -> None:
    env = begun(STACKS["all"])
    copy = branch(env, 2)[1]
    other = STACKS["all"]()
    restore(other, snapshot(copy))
    assert [snapshot(c) for c in branch(other, 2)] == [snapshot(c) for c in branch(copy, 2)]
    assert continuation(other) == continuation(copy)


def test_one_copy_is_enough_and_none_is_refused() -> None:
    env = begun(STACKS["made"])
    (copy,) = branch(env, 1)
    assert continuation(copy) == continuation(env)
    for n in (0, -1):
        with pytest.raises(ConfigError, match=f"n must be at least 1, got {n}"):
            branch(env, n)


def test_an_ended_episode_is_branched_as_ended() -> None:
    env = STACKS["made"]()
    env.reset(seed=2)
    env.step("no idea")
    for copy in branch(env, 2):
        with pytest.raises(StepOutsideEpisode):
            copy.step(boxed("1 2 3 4"))
