from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.games.crosswords import (
    EVENTS,
    RANDOM_CONFIGS,
    Config,
    CrosswordsEnv,
    Move,
    State,
    form,
    legal_move,
    parse,
    play,
    rules,
    view,
    write,
)
from gem_gymnasium.games.crosswords import deal as deal_state
from tests.helpers import config_of, steps_in_range

WORD = Config(words=2, max_turns=5)
LETTER = Config(words=2, max_turns=20, feedback="letter")
ENTRIES = (
    (1, False, 0, 0, "CAT", "it purrs"),
    (1, True, 0, 0, "COD", "a fish"),
)

SOLUTION = ("CAT", "O..", "D..")
STATE = State(("___", "_..", "_.."), SOLUTION, ENTRIES, (True, True), 2, 2)
LAST = State(("CAT", "_..", "_.."), SOLUTION, ENTRIES, (False, True), 2, 1)
CELLS = State(("CA_", "_..", "_.."), SOLUTION, ENTRIES, (True, True), 5, 3)
LAST_CELL = State(("CAT", "_..", "D.."), SOLUTION, ENTRIES, (False, True), 5, 1)
FORM = "Answer one clue as \\boxed{number direction word}"
CASES = [
    (WORD, STATE, (1, "across", "CAT"), "right", 0.5, True, "CAT is right for 1 across."),
    (WORD, LAST, (1, "down", "COD"), "solved", 0.5, True, "COD is right for 1 down: the crossword"),
    (WORD, STATE, (1, "down", "CAT"), "wrong", 0.0, True, "CAT is wrong for 1 down."),
    (WORD, LAST, (1, "down", "GOD"), "conflict", 0.0, True, "GOD does not fit the letters of 1 d"),
    (WORD, LAST, (1, "across", "CAT"), "filled", 0.0, False, "1 across is filled: CAT."),
    (WORD, STATE, (1, "down", "CODE"), "wrong_length", 0.0, False, "1 down has 3 letters, the ans"),
    (WORD, STATE, (2, "down", "COD"), "no_entry", 0.0, False, "There is no 2 down."),
    (WORD, STATE, (1, 1, "C"), "wrong_form", 0.0, False, FORM),
    (LETTER, CELLS, (2, 1, "O"), "right", 0.2, True, "O is right for row 2, column 1."),
    (LETTER, LAST_CELL, (2, 1, "O"), "solved", 0.2, True, "O is right for row 2, column 1: the cr"),
    (LETTER, CELLS, (2, 1, "X"), "wrong", 0.0, True, "X is wrong for row 2, column 1."),
    (LETTER, CELLS, (1, 2, "X"), "filled", 0.0, False, "A stands at row 1, column 2."),
    (LETTER, CELLS, (2, 2, "X"), "no_entry", 0.0, False, "No word runs through row 2, column 2."),
    (LETTER, CELLS, (4, 1, "X"), "out_of_bounds", 0.0, False, "Rows go from 1 to 3, columns from"),
    (LETTER, CELLS, (1, 0, "X"), "out_of_bounds", 0.0, False, "Rows go from 1 to 3, columns from"),
    (LETTER, CELLS, (1, "down", "COD"), "wrong_form", 0.0, False, "Fill one cell as \\boxed{row c"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "state", "move", "event", "reward", "legal", "said"), CASES)
def test_each_answer_has_its_event(
    config: Config, state: State, move: Move, event: str, reward: float, legal: bool, said: str
) -> None:
    after, outcome = play(config, state, move)
    assert (outcome.event, outcome.legal) == (event, legal)
    assert outcome.reward == pytest.approx(reward, abs=1e-12)
    assert outcome.feedback.startswith(said)
    assert outcome.over == outcome.success == (event == "solved")
    if event in ("right", "solved"):
        assert after == state._replace(board=after.board, open=after.open, left=state.left - 1)
        assert "".join(after.board).count("_") < "".join(state.board).count("_")
    else:
        assert after == state


def test_the_table_covers_every_event() -> None:
    assert {case[3] for case in CASES} == {*EVENTS}


def test_a_right_word_is_written_where_it_stands() -> None:
    for config, state, move, board, is_open in [
        (WORD, STATE, (1, "across", "CAT"), ("CAT", "_..", "_.."), (False, True)),
        (WORD, STATE, (1, "down", "COD"), ("C__", "O..", "D.."), (True, False)),
        (LETTER, CELLS, (1, 3, "T"), ("CAT", "_..", "_.."), (False, True)),
        (LETTER, CELLS, (2, 1, "O"), ("CA_", "O..", "_.."), (True, True)),
    ]:
        assert play(config, state, move)[0][::3] == (board, is_open)


def test_the_view_gives_the_first_cell_and_length_of_each_clue() -> None:
    assert view(WORD, LAST).splitlines() == [
        "   1 2 3",
        "1: C A T",
        "2: _ . .",
        "3: _ . .",
        "1 across from row 1, column 1, filled: CAT",
        "1 down from row 1, column 1, 3 letters: a fish",
    ]


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        (r"\boxed{2 across CRANE}", (2, "across", "CRANE")),
        (r"\boxed{1 down a} or \boxed{ 12, Down: crane }", (12, "down", "CRANE")),
        (r"\boxed{2 5 q}", (2, 5, "Q")),
        (r"\boxed{2,5,Q}", (2, 5, "Q")),
        (r"\boxed{2 5 QU}", None),
        (r"\boxed{2 across CRANE CRANE}", None),
        (r"\boxed{2 across}", None),
        (r"\boxed{across 2 CRANE}", None),
        (r"\boxed{2 up CRANE}", None),
        ("\\boxed{2 acro\u017fs CRANE}", None),  # an s to a regex that ignores letter case
        (r"\boxed{٢ across CRANE}", None),
        (r"\boxed{2 across CRÂNE}", None),
        (r"\boxed{2 across %s}" % ("A" * 41), None),
        (r"\boxed{2 across %s A}" % (" " * 300), None),
        ("2 across CRANE", None),
    ],
)
def test_parse(reply: str, move: Move | None) -> None:
    assert parse(reply) == move


LETTERS = st.text("ABCXYZ", min_size=1, max_size=40)
DIRECTIONS = st.sampled_from(["across", "down"])
WORD_MOVES = st.tuples(st.integers(0, 999), DIRECTIONS, LETTERS)
CELL_MOVES = st.tuples(st.integers(0, 999), st.integers(0, 999), st.sampled_from("ABCXYZ"))


@given(move=st.one_of(WORD_MOVES, CELL_MOVES))
def test_parse_reads_what_write_wrote(move: Move) -> None:
    assert parse(write(move)) == move


@pytest.mark.parametrize("config", [WORD, LETTER, *RANDOM_CONFIGS])
def test_no_text_before_the_first_answer_holds_one(config: Config) -> None:
    assert parse(rules(config)) is None
    assert parse(form(config)) is None


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"words": 1}, r"words must be in 2\.\.8"),
        ({"words": 9}, r"words must be in 2\.\.8"),
        ({"vocabulary": "hard"}, "vocabulary must be one of basic, common, rare"),
        ({"feedback": "letters"}, "feedback must be 'word' or 'letter'"),
        ({"min_length": 2}, "need 3 <= min_length <= max_length <= 9"),
        ({"min_length": 8}, "need 3 <= min_length <= max_length <= 9"),
        ({"max_length": 10}, "need 3 <= min_length <= max_length <= 9"),
        ({"max_turns": 4}, "max_turns must be at least 5"),
        ({"feedback": "letter", "max_turns": 30}, "max_turns must be at least 31"),
    ],
)
def test_bad_rules_are_refused_at_construction(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CrosswordsEnv(**bad)


def test_an_unknown_rule_raises_and_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'vocabulary'"):
        gym.make("gem/Crosswords-v0", vocabulry="rare")


@pytest.mark.parametrize("config", [Config(words=3), LETTER])
def test_legal_moves_are_legal_and_reach_every_place(config: Config) -> None:
    state, rng = deal_state(config, np.random.default_rng(1)), np.random.default_rng(0)
    moves = [legal_move(config, state, rng) for _ in range(300)]
    assert all(play(config, state, move)[1].legal for move in moves)
    if config.feedback == "word":
        assert {move[:2] for move in moves} == {
            (number, "down" if down else "across") for number, down, *_ in state.entries
        }
    else:
        assert len({move[:2] for move in moves}) == state.left


def answers(config: Config, state: State) -> list[Move]:
    """Return the right answers."""
    if config.feedback == "word":
        return [(entry[0], "down" if entry[1] else "across", entry[4]) for entry in state.entries]
    rows = enumerate(state.solution, 1)
    return [(y, x, cell) for y, row in rows for x, cell in enumerate(row, 1) if cell != "."]


@given(seed=st.integers(0, 2**32 - 1), words=st.integers(2, 6), letter=st.booleans())
@settings(max_examples=40, deadline=None)
def test_a_solved_crossword_pays_exactly_1(seed: int, words: int, letter: bool) -> None:
    config = Config(words=words, feedback="letter" if letter else "word")
    rng = np.random.default_rng(seed)
    state, total, event = deal_state(config, rng), 0.0, ""
    moves = answers(config, state)
    assert len(moves) == state.left == state.total
    for i in rng.permutation(len(moves)).tolist():
        assert event != "solved"
        state, outcome = play(config, state, moves[i])
        total, event = total + outcome.reward, outcome.event
        assert play(config, state, moves[i])[1].event == "filled"
    assert total == 1.0
    assert event == "solved"
    assert state.board == state.solution


ACTIONS = st.one_of(
    st.sampled_from(["no idea", "legal", "right", "right", "right", r"\boxed{1 1 A}"]),
    st.tuples(st.integers(0, 4), DIRECTIONS, LETTERS).map(write),
)


@given(
    actions=st.lists(ACTIONS, min_size=20, max_size=20),
    ends=st.booleans(),
    letter=st.booleans(),
    seed=st.integers(0),
)
@settings(max_examples=60, deadline=None)
def test_the_return_stays_in_its_documented_range(
    actions: list[str], ends: bool, letter: bool, seed: int
) -> None:
    env: Any = CrosswordsEnv(
        words=2,
        max_turns=20,
        feedback="letter" if letter else "word",
        on_malformed="end" if ends else "continue",
    )
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)

    def reply(action: str) -> str:
        moves = answers(env.config, env._state)  # given before or not
        return {
            "legal": env.sample_legal_action(rng),
            "right": write(moves[int(rng.integers(len(moves)))]),
        }.get(action, action)

    for action, _, info in steps_in_range(env, actions, reply):
        assert info["legal"] or action != "legal"


def test_the_variants_are_those_of_the_table() -> None:
    assert config_of("gem/Crosswords-v0") == Config(words=5, max_turns=60)
    assert config_of("gem/Crosswords-easy-v0") == Config(words=3, vocabulary="basic", max_turns=30)
    hard = Config(words=3, vocabulary="rare", min_length=6, max_length=9, max_turns=40)
    assert config_of("gem/Crosswords-hard-v0") == hard
    env = CrosswordsEnv(random=True)
    assert {(env.reset(seed=seed), env.config)[1] for seed in range(20)} == {*RANDOM_CONFIGS}
