from itertools import permutations
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.data import words
from gem_gymnasium.games.hangman import (
    EVENTS,
    RANDOM_CONFIGS,
    Config,
    HangmanEnv,
    State,
    deal,
    form,
    legal_move,
    parse,
    play,
    progress,
    rules,
    view,
    write,
)
from tests.helpers import config_of, steps_in_range

STATE = State(word="apple", shown="a___e", misses=("t", "maple"))
CASES = [
    # guess, event, reward, legal, feedback, shown
    ("p", "hit", 0.2, True, "P is in the word.", "appe"),
    ("l", "hit", 0.1, True, "L is in the word.", "a__le"),
    ("apple", "solved", 0.8, True, "The word is APPLE: you win.", "apple"),
    ("z", "miss", 0.0, True, "Z is not in the word.", "a___e"),
    ("ample", "wrong_word", 0.0, True, "AMPLE is not the word.", "a___e"),
    ("xxxxx", "wrong_word", 0.0, True, "XXXXX is not the word.", "a___e"),
    ("t", "repeated", 0.0, False, "T was guessed before.", "a___e"),
    ("a", "repeated", 0.0, False, "A was guessed before.", "a___e"),
    ("maple", "repeated", 0.0, False, "MAPLE was guessed before.", "a___e"),
    ("ap", "wrong_length", 0.0, False, "The word has 5 letters, the guess had 2.", "a___e"),
    ("pp", "wrong_length", 0.0, False, "The word has 5 letters, the guess had 2.", "a___e"),
    ("a" * 100, "wrong_length", 0.0, False, "The word has 5 letters, the guess had 100.", "a___e"),
]


@pytest.mark.parametrize(("guess", "event", "reward", "legal", "feedback", "shown"), CASES)
def test_each_guess_has_its_event(
    guess: str, event: str, reward: float, legal: bool, feedback: str, shown: str
) -> None:
    state, outcome = play(Config(), STATE, guess)
    assert (outcome.event, outcome.legal, outcome.feedback) == (event, legal, feedback)
    assert outcome.reward == pytest.approx(reward, abs=1e-12)
    missed = (guess,) if event in ("miss", "wrong_word") else ()
    shown = "app_e" if guess == "p" else shown
    assert state == State("apple", shown, (*STATE.misses, *missed))
    assert outcome.over == outcome.success == (event == "solved")


def test_the_table_covers_every_event() -> None:
    assert {case[1] for case in CASES} == {*EVENTS}


def test_the_last_letter_wins() -> None:
    state, outcome = play(Config(), State("apple", "app_e"), "l")
    assert (outcome.event, outcome.over, outcome.success) == ("solved", True, True)
    assert outcome.legal
    assert outcome.feedback == "L is in the word. The word is APPLE: you win."
    assert outcome.reward == pytest.approx(0.6)
    assert state.shown == "apple"


@pytest.mark.parametrize(("guess", "event"), [("z", "miss"), ("ample", "wrong_word")])
def test_the_last_miss_loses(guess: str, event: str) -> None:
    _, outcome = play(Config(max_misses=3), STATE, guess)
    assert (outcome.event, outcome.reward, outcome.legal) == (event, 0.0, True)
    assert (outcome.over, outcome.success) == (True, False)
    assert outcome.feedback.endswith("That was the last miss.\nThe game is lost.")
    _, earlier = play(Config(max_misses=4), STATE, guess)
    assert not earlier.over


def test_a_refused_guess_is_no_miss() -> None:
    for guess in ("t", "maple", "ap"):
        state, outcome = play(Config(max_misses=3), STATE, guess)
        assert (state, outcome.over, outcome.legal) == (STATE, False, False)


def test_the_view_tells_all_that_was_learned() -> None:
    assert view(Config(), State("apple", "_____")) == "Word: _ _ _ _ _\nMissed: none"
    assert view(Config(), STATE) == "Word: A _ _ _ E\nMissed: T, MAPLE"
    limited = view(Config(max_misses=6), STATE)
    assert limited == "Word: A _ _ _ E\nMissed: T, MAPLE\nMisses left: 4."


def test_the_rules_tell_of_a_limit_on_misses() -> None:
    assert "lose the game" not in rules(Config())
    assert " 6 misses lose the game. " in rules(Config(max_misses=6))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"length": 2}, r"length must be in 3\.\.12"),
        ({"length": 13}, r"length must be in 3\.\.12"),
        ({"max_turns": 0}, "max_turns must be at least 1"),
        ({"max_misses": -1}, "max_misses must be 0"),
        ({"max_misses": None}, "max_misses must be of type int"),
    ],
)
def test_bad_rules_are_refused_at_construction(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        HangmanEnv(**bad)


def test_an_unknown_rule_raises_and_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'max_misses'"):
        gym.make("gem/Hangman-v0", max_miss=4)


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        (r"\boxed{e}", "e"),
        (r"first \boxed{a} then \boxed{ E }", "e"),
        (r"\boxed{A P P L E}", "apple"),
        (r"\boxed{\text{apple}}", "apple"),
        (r"\boxed{_}", None),
        (r"\boxed{a, b}", None),
        (r"\boxed{}", None),
        ("e", None),
    ],
)
def test_parse(reply: str, move: str | None) -> None:
    assert parse(reply) == move


@pytest.mark.parametrize("length", range(3, 13))
def test_no_text_before_the_first_guess_holds_a_guess(length: int) -> None:
    assert parse(rules(Config(length=length))) is None
    assert parse(form(Config(length=length))) is None


def test_every_common_word_is_dealt_and_no_other() -> None:
    rng = np.random.default_rng(0)
    assert {deal(Config(length=3), rng).word for _ in range(6_000)} == {*words(3)}


def test_legal_moves_are_the_letters_not_yet_guessed() -> None:
    rng = np.random.default_rng(0)
    state = State("apple", "a____", (*"bcdefghijk", "ample", *"mnoqrstuvwx"))
    assert {legal_move(Config(), state, rng) for _ in range(100)} == {*"lpyz"}


@pytest.mark.parametrize("word", ["cat", "egg", "apple", "slates", "pepper", "letters"])
def test_a_solved_game_pays_exactly_1_whichever_way_it_went(word: str) -> None:
    config = Config(length=len(word))
    for order in permutations(sorted({*word})):
        for named in range(len(order) + 1):  # the letters guessed before the word is named
            state, total, over = State(word, "_" * len(word)), 0.0, False
            for guess in (*order[:named], word):
                state, outcome = play(config, state, guess)
                total, over = total + outcome.reward, outcome.over
                if over:
                    break
            assert (total, over) == (1.0, True)


ACTIONS = st.one_of(
    st.sampled_from([*"etaoinsz", "cat", "zzz", "tree"]).map(write),
    st.sampled_from(["no idea", "legal", "legal", "win"]),
)


@given(
    actions=st.lists(ACTIONS, min_size=8, max_size=8),
    ends=st.booleans(),
    misses=st.integers(0, 4),
    seed=st.integers(0),
)
def test_the_return_stays_in_its_documented_range(
    actions: list[str], ends: bool, misses: int, seed: int
) -> None:
    on_malformed = "end" if ends else "continue"
    env = HangmanEnv(length=3, max_turns=8, max_misses=misses, on_malformed=on_malformed)
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
        assert not misses or env._over or len(env._state.misses) < misses


def test_the_variants_are_those_of_the_table() -> None:
    assert config_of("gem/Hangman-v0") == Config(length=5, max_turns=20, max_misses=0)
    assert config_of("gem/Hangman-easy-v0") == Config(length=3, max_turns=10)
    assert config_of("gem/Hangman-hard-v0") == Config(length=7, max_turns=20)
    env = HangmanEnv(random=True)
    assert {(env.reset(seed=seed), env.config)[1] for seed in range(40)} == {*RANDOM_CONFIGS}
    assert {(c.length, c.max_turns) for c in RANDOM_CONFIGS} == {(3, 10), (5, 15), (7, 20)}
