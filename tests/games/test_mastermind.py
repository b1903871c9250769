from itertools import permutations, product
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.games.mastermind import (
    EVENTS,
    RANDOM_CONFIGS,
    Config,
    MastermindEnv,
    State,
    deal,
    form,
    legal_move,
    parse,
    pegs,
    play,
    progress,
    rules,
    share,
    write,
)
from tests.helpers import config_of, steps_in_range

STATE = State(code=(4, 3, 6, 5), guesses=((1, 3, 6, 2),), best=2)
CASES = [
    # guess, event, reward, legal, feedback
    ((1, 2, 3, 4), "pegs", 0.0, True, "1 2 3 4: 0 black, 2 white."),
    ((4, 3, 6, 1), "pegs", 0.25, True, "4 3 6 1: 3 black, 0 white."),
    ((4, 3, 6, 5), "correct", 0.5, True, "The code is 4 3 6 5: you win."),
    ((1, 3, 6, 2), "repeated", 0.0, False, "1 3 6 2 was guessed before."),
    ((1, 2, 3, 7), "out_of_range", 0.0, False, "7 is outside 1 to 6."),
    ((0, 2, 3, 4), "out_of_range", 0.0, False, "0 is outside 1 to 6."),
    ((1, 1, 2, 3), "duplicate", 0.0, False, "1 1 2 3 holds a digit twice"),
    ((1, 2, 3), "wrong_length", 0.0, False, "The code has 4 digits, the guess had 3."),
    ((9,) * 400, "wrong_length", 0.0, False, "The code has 4 digits, the guess had 400."),
]


@pytest.mark.parametrize(("guess", "event", "reward", "legal", "feedback"), CASES)
def test_each_guess_has_its_event(
    guess: tuple[int, ...], event: str, reward: float, legal: bool, feedback: str
) -> None:
    state, outcome = play(Config(), STATE, guess)
    assert (outcome.event, outcome.reward, outcome.legal) == (event, reward, legal)
    assert outcome.feedback.startswith(feedback)
    assert state.guesses == (*STATE.guesses, *((guess,) if legal else ()))
    assert outcome.over == outcome.success == (event == "correct")


def test_the_table_covers_every_event() -> None:
    assert {case[1] for case in CASES} == {*EVENTS}


def test_a_repeated_digit_is_a_guess_where_the_code_may_repeat_them() -> None:
    _, outcome = play(Config(duplicates=True), State((1, 1, 2, 3)), (1, 2, 1, 1))
    assert (outcome.event, outcome.feedback) == ("pegs", "1 2 1 1: 1 black, 2 white.")


@pytest.mark.parametrize(
    ("code", "guess", "expected"),
    [
        ((1, 1, 2, 2), (1, 2, 1, 2), (2, 2)),
        ((1, 1, 2, 2), (1, 1, 1, 1), (2, 0)),
        ((1, 2, 3, 4), (4, 3, 2, 1), (0, 4)),
        ((1, 2, 3, 3), (3, 3, 3, 1), (1, 2)),
        ((1, 2), (3, 4), (0, 0)),
    ],
)
def test_pegs(code: tuple[int, ...], guess: tuple[int, ...], expected: tuple[int, int]) -> None:
    assert pegs(code, guess) == expected


CODES = st.lists(st.integers(1, 4), min_size=4, max_size=4).map(tuple)


@given(code=CODES, guess=CODES)
def test_pegs_agree_with_counting_each_digit(code: tuple[int, ...], guess: tuple[int, ...]) -> None:
    black, white = pegs(code, guess)
    assert black == sum(a == b for a, b in zip(code, guess, strict=True))
    assert black + white == sum(min(code.count(d), guess.count(d)) for d in range(1, 5))
    assert (black, white) == pegs(guess, code)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"length": 1}, r"length must be in 2\.\.9"),
        ({"length": 10}, r"length must be in 2\.\.9"),
        ({"digits": 10}, r"digits must be in 2\.\.9"),
        ({"length": 4, "digits": 3}, "without duplicates"),
        ({"max_turns": 0}, "max_turns must be at least 1"),
        ({"duplicates": 1}, "duplicates must be of type bool"),
    ],
)
def test_bad_rules_are_refused_at_construction(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        MastermindEnv(**bad)


def test_an_unknown_rule_raises_and_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'digits'"):
        gym.make("gem/Mastermind-v0", digit=3)


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        (r"\boxed{1 4 2 3}", (1, 4, 2, 3)),
        (r"first \boxed{1 2} then \boxed{ 1, 4,2   3 }", (1, 4, 2, 3)),
        (r"\boxed{1423}", (1423,)),
        (r"\boxed{a b c d}", None),
        (r"\boxed{1 2 3 4", None),
        (r"\boxed{}", None),
        ("1 4 2 3", None),
    ],
)
def test_parse(reply: str, move: tuple[int, ...] | None) -> None:
    assert parse(reply) == move


@given(code=st.lists(st.integers(-99, 99), min_size=1, max_size=9).map(tuple))
def test_parse_reads_what_write_wrote(code: tuple[int, ...]) -> None:
    assert parse(write(code)) == code


@pytest.mark.parametrize("config", [Config(), Config(length=2), Config(duplicates=True)])
def test_no_text_before_the_first_guess_holds_a_code(config: Config) -> None:
    assert parse(rules(config)) is None
    assert parse(form(config)) is None


@pytest.mark.parametrize("duplicates", [False, True])
def test_every_code_is_dealt_and_no_other(duplicates: bool) -> None:
    config, rng = Config(length=2, digits=4, duplicates=duplicates), np.random.default_rng(0)
    every = product(range(1, 5), repeat=2) if duplicates else permutations(range(1, 5), 2)
    assert {deal(config, rng).code for _ in range(400)} == {*every}


def test_legal_moves_are_the_codes_not_yet_guessed() -> None:
    config, rng = Config(length=2, digits=3), np.random.default_rng(0)
    state = State((1, 2), ((2, 1), (3, 1)))
    moves = {legal_move(config, state, rng) for _ in range(200)}
    assert moves == {*permutations(range(1, 4), 2)} - {(2, 1), (3, 1)}


@pytest.mark.parametrize("length", range(2, 10))
def test_a_solved_game_pays_exactly_1_whichever_way_it_went(length: int) -> None:
    sums = {0: {0.0}}
    for black in range(1, length + 1):
        sums[black] = {
            total + (share(black, length) - share(best, length))
            for best in range(black)
            for total in sums[best]
        }
    assert sums[length] == {1.0}


GUESSES = st.lists(st.integers(0, 7), min_size=3, max_size=5).map(tuple).map(write)
ACTIONS = st.one_of(GUESSES, st.just("no idea"), st.just("legal"))


@given(actions=st.lists(ACTIONS, min_size=8, max_size=8), ends=st.booleans(), seed=st.integers(0))
def test_the_return_stays_in_its_documented_range(
    actions: list[str], ends: bool, seed: int
) -> None:
    env = MastermindEnv(max_turns=8, on_malformed="end" if ends else "continue")
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)

    def reply(action: str) -> str:
        return env.sample_legal_action(rng) if action == "legal" else action

    for action, _, info in steps_in_range(env, actions, reply):
        assert info["legal"] or action != "legal"
        assert env._state is not None
        assert info["progress"] == progress(env.config, env._state)


def test_the_variants_are_those_of_the_table() -> None:
    assert config_of("gem/Mastermind-v0") == Config(length=4, digits=6, max_turns=20)
    assert config_of("gem/Mastermind-easy-v0") == Config(length=2, digits=6, max_turns=10)
    assert config_of("gem/Mastermind-hard-v0") == Config(length=4, digits=8, max_turns=30)
    env = MastermindEnv(random=True)
    assert {(env.reset(seed=seed), env.config)[1] for seed in range(40)} == {*RANDOM_CONFIGS}
