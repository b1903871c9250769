from math import log2
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.games.guess_the_number import (
    EVENTS,
    RANDOM_CONFIGS,
    Config,
    GuessTheNumberEnv,
    State,
    deal,
    legal_move,
    near_miss,
    optimal_turns,
    parse,
    play,
    progress,
    write,
)

CONFIG = Config(low=1, high=10)
STATE = State(target=7, low=4, high=10, guesses=(3,))
CASES = [
    # guess, event, reward, legal, what is left open
    (0, "out_of_range", 0.0, False, (4, 10)),
    (11, "out_of_range", 0.0, False, (4, 10)),
    (3, "repeated", 0.0, False, (4, 10)),
    (1, "low", 0.0, True, (4, 10)),
    (6, "low", 0.0, True, (7, 10)),
    (8, "high", 0.0, True, (4, 7)),
    (10, "high", 0.0, True, (4, 9)),
    (7, "correct", 1.0, True, (7, 7)),
]


@pytest.mark.parametrize(("guess", "event", "reward", "legal", "left"), CASES)
def test_each_guess_has_its_event(
    guess: int, event: str, reward: float, legal: bool, left: tuple[int, int]
) -> None:
    state, outcome = play(CONFIG, STATE, guess)
    assert (outcome.event, outcome.reward, outcome.legal) == (event, reward, legal)
    assert (state.low, state.high) == left
    assert state.guesses == ((3, guess) if legal else (3,))
    assert outcome.over == outcome.success == (event == "correct")


def test_the_table_covers_every_event() -> None:
    assert {case[1] for case in CASES} == {*EVENTS}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"low": 5, "high": 5}, "low must be below high"),
        ({"max_turns": 0}, "max_turns must be at least 1"),
        ({"low": 1.0}, "low must be of type int"),
        ({"low": True}, "low must be of type int"),
        ({"near_miss": 1}, "near_miss must be of type bool"),
        ({"random": True, "low": 2}, "random=True draws every rule"),
    ],
)
def test_bad_rules_are_refused_at_construction(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        GuessTheNumberEnv(**rules)


def test_an_unknown_rule_raises_and_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'max_turns'"):
        gym.make("gem/GuessTheNumber-v0", max_turn=3)


@given(number=st.integers(-(10**18) + 1, 10**18 - 1), noise=st.text())
def test_parse_reads_the_last_boxed_integer(number: int, noise: str) -> None:
    assert parse(f"\\boxed{{1}} {noise} {write(number)}") == number


@given(text=st.text())
def test_parse_never_raises(text: str) -> None:
    parse(f"\\boxed{{{text}}}")


@given(seed=st.integers(0, 2**32 - 1), low=st.integers(-50, 50), span=st.integers(1, 60))
def test_bisection_wins_within_the_optimum(seed: int, low: int, span: int) -> None:
    config = Config(low=low, high=low + span)
    state = deal(config, np.random.default_rng(seed))
    turns, won = 0, False
    while not won:
        state, outcome = play(config, state, (state.low + state.high) // 2)
        turns, won = turns + 1, outcome.success
        assert 0.0 <= progress(config, state) <= 1.0
    assert turns <= optimal_turns(config, state) == int(log2(span + 1)) + 1
    assert progress(config, state) == 1.0


def test_every_target_is_drawn_and_no_other() -> None:
    rng = np.random.default_rng(0)
    assert {deal(Config(low=3, high=6), rng).target for _ in range(200)} == {3, 4, 5, 6}


def test_legal_moves_are_the_numbers_not_yet_guessed() -> None:
    rng = np.random.default_rng(0)
    assert {legal_move(CONFIG, STATE, rng) for _ in range(300)} == {*range(1, 11)} - {3}


def test_near_miss_pays_only_when_it_is_asked_for() -> None:
    paying = Config(low=1, high=11, near_miss=True)
    assert near_miss(Config(low=1, high=11), STATE, 6) == 0.0
    assert near_miss(paying, STATE, 6) == pytest.approx(0.9)
    assert near_miss(paying, STATE, 12) == 0.0
    env = GuessTheNumberEnv(low=1, high=11, max_turns=1, near_miss=True)
    env.reset(seed=0)
    env._state = STATE
    _, reward, terminated, truncated, info = env.step(write(6))
    assert (reward, terminated, truncated) == (pytest.approx(0.9), True, False)
    assert not info["success"]


def test_random_draws_all_of_its_rules_at_each_reset() -> None:
    env = GuessTheNumberEnv(random=True)
    seen = {(env.reset(seed=seed), env.config)[1] for seed in range(200)}
    assert seen <= {*RANDOM_CONFIGS}
    assert len(seen) > 100


ACTIONS = st.one_of(st.integers(-2, 14).map(write), st.just("no idea"))


@given(actions=st.lists(ACTIONS, min_size=12, max_size=12), ends=st.booleans(), seed=st.integers(0))
def test_the_return_stays_in_its_documented_range(
    actions: list[str], ends: bool, seed: int
) -> None:
    env = GuessTheNumberEnv(
        low=1, high=10, max_turns=12, on_malformed="end" if ends else "continue"
    )
    env.reset(seed=seed)
    total, done = 0.0, False
    for action in actions:
        if not done:
            _, reward, done, truncated, info = env.step(action)
            total += reward
            assert not truncated
            assert info["event"] in (*EVENTS, "malformed")
    assert done
    assert (-0.1 if ends else -0.1 * 12) - 1e-9 <= total <= 1.0


@pytest.mark.parametrize("rules", [{"high": 10**19}, {"low": -(10**18)}])
def test_numbers_longer_than_a_reply_can_hold_are_refused(rules: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match=r"must be within"):
        Config(**rules)


def test_a_legal_move_in_a_huge_range_is_drawn_at_once() -> None:
    config = Config(low=-(10**15), high=10**15)
    rng = np.random.default_rng(0)
    move = legal_move(config, deal(config, rng), rng)
    assert parse(write(move)) == move
