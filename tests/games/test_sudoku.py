from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.games.sudoku import (
    EVENTS,
    FEWEST_CLUES,
    RANDOM_CONFIGS,
    Config,
    State,
    SudokuEnv,
    deal,
    legal_move,
    optimal_turns,
    parse,
    play,
    progress,
    rules,
    view,
    write,
)
from tests.helpers import config_of, steps_in_range

EASY = Config(size=4, clues=7, max_turns=15)
# fmt: off
SOLUTION = (
    2, 4, 1, 3,
    1, 3, 2, 4,
    4, 1, 3, 2,
    3, 2, 4, 1,
)
BOARD = (
    0, 0, 1, 3,
    0, 3, 2, 0,
    4, 0, 0, 0,
    0, 2, 4, 0,
)

# fmt: on
STATE = State(BOARD, SOLUTION, 9, 9)
LAST = State((0, *SOLUTION[1:]), SOLUTION, 9, 1)
CASES = [
    (STATE, (1, 1, 2), "placed", 1 / 9, True, "Placed 2 at row 1, column 1."),
    (LAST, (1, 1, 2), "solved", 1 / 9, True, "Placed 2 at row 1, column 1: the grid is solved"),
    (STATE, (3, 4, 1), "wrong", 0.0, True, "1 at row 3, column 4 breaks no rule, but it is wrong."),
    (STATE, (1, 1, 1), "conflict", 0.0, True, "1 already stands in row 1."),
    (STATE, (1, 1, 4), "conflict", 0.0, True, "4 already stands in column 1."),
    (STATE, (4, 1, 4), "conflict", 0.0, True, "4 already stands in row 4."),
    (STATE, (2, 4, 1), "conflict", 0.0, True, "1 already stands in the box of row 2, column 4."),
    (STATE, (1, 3, 2), "taken", 0.0, False, "Row 1, column 3 already holds 1."),
    (STATE, (0, 1, 2), "out_of_bounds", 0.0, False, "Row, column and number must be from 1 to 4."),
    (STATE, (1, 5, 2), "out_of_bounds", 0.0, False, "Row, column and number must be from 1 to 4."),
    (STATE, (1, 1, -3), "out_of_bounds", 0.0, False, "Row, column and number must be from 1 to 4."),
]  # fmt: skip


@pytest.mark.parametrize(("state", "move", "event", "reward", "legal", "feedback"), CASES)
def test_each_move_has_its_event(
    state: State, move: tuple[int, ...], event: str, reward: float, legal: bool, feedback: str
) -> None:
    after, outcome = play(EASY, state, move)
    assert (outcome.event, outcome.legal) == (event, legal)
    assert outcome.reward == pytest.approx(reward, abs=1e-12)
    assert outcome.feedback.startswith(feedback)
    assert outcome.over == outcome.success == (event == "solved")
    if event in ("placed", "solved"):
        assert after == State((2, *state.board[1:]), SOLUTION, 9, state.left - 1)
    else:
        assert after == state


def test_the_table_covers_every_event() -> None:
    assert {case[2] for case in CASES} == {*EVENTS}


def test_the_board_is_drawn_with_the_numbers_of_rows_and_columns() -> None:
    assert view(EASY, STATE).splitlines() == [
        "   1 2 | 3 4",
        "1: . . | 1 3",
        "2: . 3 | 2 .",
        "   ----+----",
        "3: 4 . | . .",
        "4: . 2 | 4 .",
    ]


def test_the_9x9_board_is_drawn_in_nine_boxes() -> None:
    board = tuple(range(1, 10)) * 9
    lines = view(Config(), State(board, board, 1, 1)).splitlines()
    assert len(lines) == 12
    assert lines[0] == "   1 2 3 | 4 5 6 | 7 8 9"
    assert lines[4] == lines[8] == "   ------+-------+------"
    assert lines[11] == "9: 1 2 3 | 4 5 6 | 7 8 9"


def test_the_rules_count_the_boxes_right() -> None:
    assert "each of the 4 boxes (2x2 cells)" in rules(EASY)
    assert "each of the 9 boxes (3x3 cells)" in rules(Config())


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        (r"\boxed{1 2 3}", (1, 2, 3)),
        (r"\boxed{9 9 9} no: \boxed{1, 2,3}", (1, 2, 3)),
        (r"\boxed{1 2}", None),
        (r"\boxed{1 2 3 4}", None),
        (r"\boxed{row column number}", None),
        ("1 2 3", None),
    ],
)
def test_parse(reply: str, move: tuple[int, ...] | None) -> None:
    assert parse(reply) == move


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"size": 5}, "size must be 4 or 9"),
        ({"clues": 25}, r"clues .* must be in 26\.\.80"),
        ({"size": 4, "clues": 16}, r"clues .* must be in 4\.\.15"),
        ({"max_turns": 50}, "max_turns must be at least the 51 empty cells"),
    ],
)
def test_bad_rules_are_refused_at_construction(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SudokuEnv(**bad)


def test_an_unknown_rule_raises_and_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'clues'"):
        gym.make("gem/Sudoku-v0", clue=40)


def count_solutions(board: list[int], size: int, limit: int = 2) -> int:
    """Count solutions in the plainest way there is, up to ``limit``."""
    box, best = round(size**0.5), (0, [0] * 10)
    for cell, number in enumerate(board):
        if not number:
            row, column = divmod(cell, size)
            top, left = row // box * box, column // box * box
            used = {*board[row * size : (row + 1) * size], *board[column::size]}
            for i in range(box):
                start = (top + i) * size + left
                used |= {*board[start : start + box]}
            options = [n for n in range(1, size + 1) if n not in used]
            if len(options) < len(best[1]):
                best = cell, options
    if len(best[1]) == 10:
        return 1
    total, cell = 0, best[0]
    for number in best[1]:
        board[cell] = number
        total += count_solutions(board, size, limit - total)
        board[cell] = 0
        if total >= limit:
            break
    return total


DEALT = [(4, 4), (4, 7), (4, 15), (9, 30), (9, 33), (9, 45), (9, 80)]


@pytest.mark.parametrize(("size", "clues"), DEALT)
def test_a_dealt_grid_has_its_clues_and_one_solution(size: int, clues: int) -> None:
    config = Config(size=size, clues=clues)
    for seed in range(30 if size == 4 else 8):
        board, solution, empties, left = deal(config, np.random.default_rng(seed))
        assert sum(number > 0 for number in board) == clues
        assert empties == left == optimal_turns(config, State(board, solution, empties, left))
        assert all(number in (0, right) for number, right in zip(board, solution, strict=True))
        assert count_solutions(list(solution), size) == 1
        assert sorted(solution) == sorted([*range(1, size + 1)] * size)
        assert count_solutions(list(board), size) == 1


def test_the_fewest_clues_can_be_dealt() -> None:
    for size, clues in FEWEST_CLUES.items():
        deal(Config(size=size, clues=clues), np.random.default_rng(0))


def test_every_4x4_solution_is_dealt() -> None:
    rng = np.random.default_rng(0)
    assert len({deal(Config(size=4, clues=15), rng).solution for _ in range(4_000)}) == 288


def test_legal_moves_are_any_number_in_any_empty_cell() -> None:
    rng = np.random.default_rng(0)
    drawn = {legal_move(EASY, STATE, rng) for _ in range(1_000)}
    every = {
        (row, column, number)
        for row in range(1, 5)
        for column in range(1, 5)
        for number in range(1, 5)
        if play(EASY, STATE, (row, column, number))[1].legal
    }
    assert drawn == every
    assert {play(EASY, STATE, move)[1].event for move in drawn} == {"placed", "wrong", "conflict"}


@given(seed=st.integers(0, 2**32 - 1), clues=st.integers(26, 80))
@settings(max_examples=30, deadline=None)
def test_a_solved_grid_pays_exactly_1(seed: int, clues: int) -> None:
    config, rng = Config(clues=clues), np.random.default_rng(seed)
    state, total = deal(config, rng), 0.0
    for cell in rng.permutation(81).tolist():
        if not state.board[cell]:
            move = cell // 9 + 1, cell % 9 + 1, state.solution[cell]
            state, outcome = play(config, state, move)
            total += outcome.reward
            assert progress(config, state) == pytest.approx(total)
    assert total == 1.0
    assert state.board == state.solution


MOVES = st.lists(st.integers(0, 5), min_size=3, max_size=3).map(tuple).map(write)
ACTIONS = st.one_of(MOVES, st.just("no idea"), st.just("legal"))


@given(actions=st.lists(ACTIONS, min_size=15, max_size=15), ends=st.booleans(), seed=st.integers(0))
def test_the_return_stays_in_its_documented_range(
    actions: list[str], ends: bool, seed: int
) -> None:
    env = SudokuEnv(size=4, clues=7, max_turns=15, on_malformed="end" if ends else "continue")
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)

    def reply(action: str) -> str:
        return env.sample_legal_action(rng) if action == "legal" else action

    for action, _, info in steps_in_range(env, actions, reply):
        assert info["legal"] or action != "legal"


def test_the_variants_are_those_of_the_table() -> None:
    assert config_of("gem/Sudoku-v0") == Config(size=9, clues=30, max_turns=100)
    assert config_of("gem/Sudoku-easy-v0") == EASY
    assert config_of("gem/Sudoku-hard-v0") == Config(size=9, clues=33, max_turns=50)
    env = SudokuEnv(random=True)
    assert {(env.reset(seed=seed), env.config)[1] for seed in range(20)} == {*RANDOM_CONFIGS}
