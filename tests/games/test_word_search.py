from itertools import product
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.data import words
from gem_gymnasium.games.word_search import (
    EVENTS,
    RANDOM_CONFIGS,
    Config,
    State,
    WordSearchEnv,
    deal,
    form,
    legal_move,
    optimal_turns,
    parse,
    play,
    progress,
    read,
    rules,
    view,
    write,
)
from gem_gymnasium.games.word_search_grid import STEPS, Line, is_read_once
from tests.helpers import config_of, steps_in_range

EASY, HARD = RANDOM_CONFIGS
SMALL = Config(words=2, size=6, directions=4, min_length=3, max_length=4, max_turns=5)
ROWS = ("CATXXX", "XXXXXX", "XXXDXX", "XXXOXX", "XXXVXX", "XXXEXX")
STATE = State(ROWS, ("CAT", "DOVE"), ((1, 1, 1, 3), (3, 4, 6, 4)), (False, False))
LAST = STATE._replace(found=(True, False))
CASES = [
    (STATE, (1, 1, 1, 3), "found", 0.5, True, "CAT is found."),
    (STATE, (1, 3, 1, 1), "found", 0.5, True, "CAT is found."),
    (LAST, (6, 4, 3, 4), "solved", 0.5, True, "DOVE is found. That is all of them: you win."),
    (LAST, (1, 1, 1, 3), "repeated", 0.0, False, "CAT was found before."),
    (LAST, (1, 3, 1, 1), "repeated", 0.0, False, "CAT was found before."),
    (STATE, (1, 1, 1, 2), "wrong", 0.0, True, "Row 1, column 1 to row 1, column 2 reads CA: not"),
    (STATE, (3, 4, 1, 2), "wrong", 0.0, True, "Row 3, column 4 to row 1, column 2 reads DXA: not"),
    (STATE, (1, 1, 1, 1), "no_line", 0.0, False, "Two different cells of one row, column or dia"),
    (STATE, (1, 1, 3, 2), "no_line", 0.0, False, "Two different cells of one row, column or dia"),
    (STATE, (0, 1, 1, 1), "out_of_bounds", 0.0, False, "Rows and columns go from 1 to 6."),
    (STATE, (1, 1, 1, 7), "out_of_bounds", 0.0, False, "Rows and columns go from 1 to 6."),
]  # fmt: skip


@pytest.mark.parametrize(("state", "line", "event", "reward", "legal", "feedback"), CASES)
def test_each_line_has_its_event(
    state: State, line: Line, event: str, reward: float, legal: bool, feedback: str
) -> None:
    after, outcome = play(SMALL, state, line)
    assert (outcome.event, outcome.reward, outcome.legal) == (event, reward, legal)
    assert outcome.feedback.startswith(feedback)
    assert outcome.over == outcome.success == (event == "solved")
    found = {"found": (True, False), "solved": (True, True)}.get(event, state.found)
    assert after == state._replace(found=found)


def test_the_table_covers_every_event() -> None:
    assert {case[2] for case in CASES} == {*EVENTS}


def test_a_diagonal_is_no_line_where_words_run_across_and_down_only() -> None:
    _, outcome = play(Config(size=6, words=2, directions=2, max_length=6), STATE, (1, 1, 2, 2))
    assert (outcome.event, outcome.legal) == ("no_line", False)
    assert outcome.feedback == "Two different cells of one row or column are needed."


@pytest.mark.parametrize(
    ("line", "letters"),
    [((3, 4, 6, 4), "DOVE"), ((6, 4, 3, 4), "EVOD"), ((1, 2, 3, 4), "AXD"), ((4, 4, 1, 1), "OXXC")],
)
def test_a_line_is_read_from_its_first_cell(line: Line, letters: str) -> None:
    assert read(ROWS, line) == letters


def test_the_view_shows_the_grid_and_marks_what_is_found() -> None:
    lines = view(SMALL, LAST).splitlines()
    assert lines[0] == "   1 2 3 4 5 6"
    assert lines[1] == "1: C A T X X X"
    assert lines[-1] == "Words: CAT (found), DOVE."
    assert view(SMALL, STATE).endswith("Words: CAT, DOVE.")


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        (r"\boxed{1 2 3 4}", (1, 2, 3, 4)),
        (r"\boxed{9 9 9 9} no: \boxed{1, 2,3  4}", (1, 2, 3, 4)),
        (r"\boxed{0 -1 3 4}", (0, -1, 3, 4)),
        (r"\boxed{1 2 3}", None),
        (r"\boxed{1 2 3 4 5}", None),
        (r"\boxed{row column row column}", None),
        ("1 2 3 4", None),
    ],
)
def test_parse(reply: str, move: Line | None) -> None:
    assert parse(reply) == move


@given(line=st.tuples(*[st.integers(-99, 99)] * 4))
def test_parse_reads_what_write_wrote(line: Line) -> None:
    assert parse(write(line)) == line


@pytest.mark.parametrize("config", [Config(), EASY, HARD])
def test_no_text_before_the_first_move_holds_one(config: Config) -> None:
    assert parse(rules(config)) is None
    assert parse(form(config)) is None


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"size": 5}, r"size must be in 6\.\.15"),
        ({"directions": 3}, "directions must be 2, 4 or 8"),
        ({"min_length": 2}, "need 3 <= min_length <= max_length <= 10"),
        ({"max_length": 11}, "need 3 <= min_length <= max_length <= 10"),
        ({"min_length": 9, "max_length": 8}, "need 3 <= min_length"),
        ({"size": 15, "max_length": 13}, "max_length <= 12"),
        ({"words": 0}, r"words of up to 8 letters must be 1\.\.6 for size 10"),
        ({"words": 7}, r"words of up to 8 letters must be 1\.\.6 for size 10"),
        ({"words": 17, "size": 15, "min_length": 3, "max_length": 3}, r"be 1\.\.16 for size 15"),
        ({"max_turns": 4}, "max_turns must be at least the 5 words"),
    ],
)
def test_bad_rules_are_refused_at_construction(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        WordSearchEnv(**bad)


def test_an_unknown_rule_raises_and_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'directions'"):
        gym.make("gem/WordSearch-v0", direction=2)


def readings(rows: tuple[str, ...], word: str) -> set[frozenset[tuple[int, int]]]:
    """Return the sets of cells along which a word can be read, in the plainest way there is."""
    span, found = range(len(rows)), set[frozenset[tuple[int, int]]]()
    starts = [(y, x) for y in span for x in span if rows[y][x] == word[0]]
    for (row, column), (down, right) in product(starts, STEPS[8]):
        cells = [(row + i * down, column + i * right) for i in range(len(word))]
        inside = all(y in span and x in span for y, x in cells)
        if inside and "".join(rows[y][x] for y, x in cells) == word:
            found.add(frozenset(cells))
    return found


TIGHT = Config(size=6, words=4, min_length=3, max_length=4, directions=8)


@pytest.mark.parametrize("config", [Config(), EASY, HARD, SMALL, TIGHT])
def test_every_listed_word_stands_in_the_grid_once(config: Config) -> None:
    lengths = range(config.min_length, config.max_length + 1)
    for seed in range(25):
        state = deal(config, np.random.default_rng(seed))
        assert len(state.rows) == config.size
        assert all(len(row) == config.size for row in state.rows)
        assert list(state.words) == sorted({*state.words})
        assert len(state.words) == config.words == optimal_turns(config, state)
        for word, line in zip(state.words, state.lines, strict=True):
            assert read(state.rows, line) == word
            assert len(word) in lengths
            assert word.lower() in words(len(word))
            assert len(readings(state.rows, word)) == 1


@pytest.mark.parametrize("config", [Config(), EASY, HARD])
def test_words_run_in_each_of_the_directions_and_no_other(config: Config) -> None:
    steps = set[tuple[int, int]]()
    for seed in range(40):
        for top, left, bottom, right in deal(config, np.random.default_rng(seed)).lines:
            steps.add((int(np.sign(bottom - top)), int(np.sign(right - left))))
    assert steps == {*STEPS[config.directions]}


@pytest.mark.parametrize(
    ("cells", "word", "once"),
    [
        ("CATXXXXXX", "CAT", True),
        ("CATXXXCAT", "CAT", False),
        ("CATXXXTAC", "CAT", False),
        ("CXXXAXXXT", "CAT", True),
        ("CXTXAXCXT", "CAT", False),
        ("NOXXXNXXX", "NON", False),
        ("NONXXXXXX", "NON", True),
        ("NONXXXNON", "NON", False),
        ("AAAXXXXXX", "AA", False),
    ],
)
def test_a_word_that_stands_twice_is_found_out(cells: str, word: str, once: bool) -> None:
    assert is_read_once(cells, 3, [word]) == once


def test_legal_moves_are_all_lines_but_those_found() -> None:
    rng = np.random.default_rng(0)
    drawn = {legal_move(SMALL, LAST, rng) for _ in range(8_000)}
    span = range(1, 7)
    every = {
        line
        for line in ((a, b, c, d) for a in span for b in span for c in span for d in span)
        if play(SMALL, LAST, line)[1].legal
    }
    assert drawn == every


@given(seed=st.integers(0, 2**32 - 1), words=st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_a_solved_grid_pays_exactly_1(seed: int, words: int) -> None:
    config, rng = Config(words=words), np.random.default_rng(seed)
    state, total = deal(config, rng), 0.0
    for i in rng.permutation(words).tolist():
        line = state.lines[i]
        state, outcome = play(config, state, line if rng.random() < 0.5 else (*line[2:], *line[:2]))
        total += outcome.reward
        assert progress(config, state) == pytest.approx(total)
        assert play(config, state, line)[1].reward == 0.0
    assert total == 1.0
    assert outcome.event == "solved"


MOVES = st.tuples(*[st.integers(0, 9)] * 4).map(write)
ACTIONS = st.one_of(MOVES, st.sampled_from(["no idea", "legal", "word", "word", "back"]))


@given(actions=st.lists(ACTIONS, min_size=20, max_size=20), ends=st.booleans(), seed=st.integers(0))
@settings(max_examples=50, deadline=None)
def test_the_return_stays_in_its_documented_range(
    actions: list[str], ends: bool, seed: int
) -> None:
    env: Any = WordSearchEnv(
        size=8, directions=2, max_length=6, on_malformed="end" if ends else "continue"
    )
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)

    def reply(action: str) -> str:
        line = env._state.lines[int(rng.integers(5))]  # found before or not
        return {
            "legal": env.sample_legal_action(rng),
            "word": write(line),
            "back": write((*line[2:], *line[:2])),
        }.get(action, action)

    for action, _, info in steps_in_range(env, actions, reply):
        assert info["legal"] or action != "legal"


def test_the_variants_are_those_of_the_table() -> None:
    assert config_of("gem/WordSearch-v0") == Config(words=5, directions=4, max_turns=20)
    assert config_of("gem/WordSearch-easy-v0") == EASY
    assert config_of("gem/WordSearch-hard-v0") == HARD
    assert EASY.directions == 2
    assert HARD.directions == 8
    env = WordSearchEnv(random=True)
    assert {(env.reset(seed=seed), env.config)[1] for seed in range(20)} == {*RANDOM_CONFIGS}
