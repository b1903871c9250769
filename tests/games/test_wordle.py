from collections import Counter
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.core.rewards import share
from gem_gymnasium.data import all_words, word_set, words
from gem_gymnasium.games.wordle import (
    EVENTS,
    RANDOM_CONFIGS,
    Config,
    State,
    WordleEnv,
    deal,
    form,
    legal_move,
    marks,
    parse,
    play,
    progress,
    rules,
    write,
)
from tests.helpers import config_of, steps_in_range

STATE = State(word="crane", found="--G--", guesses=("slate",))
CASES = [
    # guess, event, reward, legal, feedback, found
    ("ocean", "marks", 0.0, True, "Guess: O C E A N\nMarks: - Y Y Y Y", "--G--"),
    ("brake", "marks", 0.2, True, "Guess: B R A K E\nMarks: - G G - G", "-GG-G"),
    ("crane", "correct", 0.9, True, "The word is CRANE: you win.", "GGGGG"),
    ("crate", "marks", 0.3, True, "Guess: C R A T E\nMarks: G G G - G", "GGG-G"),
    ("fibre", "marks", 0.1, True, "Guess: F I B R E\nMarks: - - - Y G", "--G-G"),
    ("slate", "repeated", 0.0, False, "SLATE was guessed before.", "--G--"),
    ("cranq", "not_a_word", 0.0, False, "CRANQ is not in the list of words.", "--G--"),
    ("cranes", "wrong_length", 0.0, False, "The word has 5 letters, the guess had 6.", "--G--"),
    ("a" * 100, "wrong_length", 0.0, False, "The word has 5 letters, the guess had 100.", "--G--"),
]


@pytest.mark.parametrize(("guess", "event", "reward", "legal", "feedback", "found"), CASES)
def test_each_guess_has_its_event(
    guess: str, event: str, reward: float, legal: bool, feedback: str, found: str
) -> None:
    state, outcome = play(Config(), STATE, guess)
    assert (outcome.event, outcome.legal, outcome.feedback) == (event, legal, feedback)
    assert outcome.reward == pytest.approx(reward, abs=1e-12)
    guesses = (*STATE.guesses, guess) if legal else STATE.guesses
    assert state == State("crane", found, guesses)
    assert outcome.over == outcome.success == (event == "correct")


def test_the_table_covers_every_event() -> None:
    assert {case[1] for case in CASES} == {*EVENTS}


@pytest.mark.parametrize(
    ("word", "guess", "given"),
    [
        ("crane", "crane", "GGGGG"),
        ("crane", "sloth", "-----"),
        ("abide", "speed", "--Y-Y"),
        ("erase", "speed", "Y-YY-"),
        ("steal", "speed", "G-G--"),
        ("crepe", "speed", "-YGY-"),
        ("level", "eagle", "Y--YY"),
        ("eagle", "level", "YY-Y-"),
        ("aab", "baa", "YGY"),
        ("abb", "aaa", "G--"),
        ("bba", "aab", "Y-Y"),
    ],
)
def test_marks(word: str, guess: str, given: str) -> None:
    assert marks(word, guess) == given


FIVE = st.text("abc", min_size=5, max_size=5)


@given(word=FIVE, guess=FIVE)
def test_the_marks_of_a_letter_are_as_many_as_both_words_share(word: str, guess: str) -> None:
    given_marks = marks(word, guess)
    for a, b, mark in zip(word, guess, given_marks, strict=True):
        assert (mark == "G") == (a == b)
    for letter in "abc":
        mine = [mark for x, mark in zip(guess, given_marks, strict=True) if x == letter]
        assert len(mine) - mine.count("-") == min(word.count(letter), guess.count(letter))
        others = [mark for mark in mine if mark != "G"]
        assert others == sorted(others, reverse=True)  # Y before -, from left to right


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"length": 2}, r"length must be in 3\.\.12"),
        ({"length": 13}, r"length must be in 3\.\.12"),
        ({"max_turns": 0}, "max_turns must be at least 1"),
        ({"length": "5"}, "length must be of type int"),
    ],
)
def test_bad_rules_are_refused_at_construction(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        WordleEnv(**bad)


def test_an_unknown_rule_raises_and_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'length'"):
        gym.make("gem/Wordle-v0", lenght=4)


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        (r"\boxed{crane}", "crane"),
        (r"first \boxed{slate} then \boxed{ C R A n e }", "crane"),
        (r"\boxed{\text{crane}}", "crane"),
        (r"\boxed{crane!}", None),
        (r"\boxed{12345}", None),
        (r"\boxed{}", None),
        (r"\boxed{crane", None),
        ("crane", None),
    ],
)
def test_parse(reply: str, move: str | None) -> None:
    assert parse(reply) == move


@pytest.mark.parametrize("length", range(3, 13))
def test_no_text_before_the_first_guess_holds_a_guess(length: int) -> None:
    assert parse(rules(Config(length=length))) is None
    assert parse(form(Config(length=length))) is None


def test_words_are_dealt_evenly_from_the_common_ones() -> None:
    rng, secrets = np.random.default_rng(0), words(3)
    dealt = Counter(deal(Config(length=3), rng).word for _ in range(20 * len(secrets)))
    assert {*dealt} == {*secrets}
    assert max(dealt.values()) <= 50


def test_legal_moves_are_all_words_but_those_guessed() -> None:
    config, rng = Config(length=3), np.random.default_rng(0)
    every = all_words(3)
    state = State("cat", "---", every[10:])
    assert {legal_move(config, state, rng) for _ in range(200)} == {*every[:10]}
    assert {write(word) for word in every} == {f"\\boxed{{{word}}}" for word in every}


@pytest.mark.parametrize("length", range(3, 13))
def test_a_solved_game_pays_exactly_1_whichever_way_it_went(length: int) -> None:
    sums = {0: {0.0}}  # what was paid when so many letters were found, by all ways
    for found in range(1, length + 1):
        sums[found] = {
            total + (share(found, length) - share(before, length)) / 2
            for before in range(found)
            for total in sums[before]
        }
    ends = {
        total + ((1.0 - share(found, length)) / 2 + 0.5)
        for found in range(length + 1)
        for total in sums[found]
    }
    assert ends == {1.0}


ACTIONS = st.one_of(
    st.sampled_from(["cat", "car", "bat", "tab", "act", "tac", "zzz", "cats"]).map(write),
    st.sampled_from(["no idea", "legal", "legal", "win"]),
)


@given(actions=st.lists(ACTIONS, min_size=8, max_size=8), ends=st.booleans(), seed=st.integers(0))
def test_the_return_stays_in_its_documented_range(
    actions: list[str], ends: bool, seed: int
) -> None:
    env = WordleEnv(length=3, max_turns=8, on_malformed="end" if ends else "continue")
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    paid = 0.0

    def reply(action: str) -> str:
        assert env._state is not None
        action = write(env._state.word) if action == "win" else action
        return env.sample_legal_action(rng) if action == "legal" else action

    for action, reward, info in steps_in_range(env, actions, reply):
        paid += max(reward, 0.0)
        assert env._state is not None
        assert info["legal"] or action != "legal"
        assert info["progress"] == progress(env.config, env._state)
        assert info["progress"] == pytest.approx(paid, abs=1e-12)
        assert info["success"] == (paid == 1.0)


def test_finding_every_letter_without_the_word_is_half_of_the_game() -> None:
    env = WordleEnv(length=3)
    env.reset(seed=0)
    env._state = State("cat", "---")
    assert [env.step(write(guess))[1] for guess in ("cab", "bat")] == pytest.approx([1 / 3, 1 / 6])
    total, _, info = 0.5, *env.step(write("bit"))[3:]
    assert (info["progress"], info["success"]) == (total, False)


def test_the_variants_are_those_of_the_table() -> None:
    assert config_of("gem/Wordle-v0") == Config(length=5, max_turns=6)
    assert config_of("gem/Wordle-easy-v0") == Config(length=3, max_turns=15)
    assert config_of("gem/Wordle-hard-v0") == Config(length=5, max_turns=25)
    env = WordleEnv(random=True)
    assert {(env.reset(seed=seed), env.config)[1] for seed in range(40)} == {*RANDOM_CONFIGS}
    assert {(c.length, c.max_turns) for c in RANDOM_CONFIGS} == {(3, 15), (4, 20), (5, 25)}


def test_every_word_that_may_be_hidden_may_be_guessed() -> None:
    assert all({*words(length)} <= word_set(length) for length in range(3, 13))
