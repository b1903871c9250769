from itertools import combinations

import numpy as np
import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.minesweeper import Config, State, deal, play, rules, view
from gem_gymnasium.games.minesweeper_logic import (
    cells_of,
    mine_chances,
    read_constraints,
    simple_safe,
)
from gem_gymnasium.solvers.minesweeper import MinesweeperSolver, read_board

CONFIG = Config(rows=5, columns=5, mines=5, max_turns=25)


def positions() -> list[State]:
    """Return positions some safe reveals into games."""
    found: list[State] = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        first = "reveal", int(rng.integers(1, 6)), int(rng.integers(1, 6))
        state, outcome = play(CONFIG, deal(CONFIG, rng), first)
        for cell in rng.permutation(25)[: seed % 4].tolist():
            if state.board[cell] == "." and state.field[cell] != "*" and not outcome.over:
                state, outcome = play(CONFIG, state, ("reveal", cell // 5 + 1, cell % 5 + 1))
        if not outcome.over:
            found.append(state)
    return found


def test_chances_are_the_shares_of_all_arrangements() -> None:
    assert len(positions()) > 25
    for state in positions():
        hidden, constraints = read_constraints(5, 5, state.board)
        arrangements = [
            {*chosen}
            for chosen in combinations(cells_of(hidden), 5)
            if all(sum(cells >> cell & 1 for cell in chosen) == need for cells, need in constraints)
        ]
        counted = {
            cell: sum(cell in chosen for chosen in arrangements) / len(arrangements)
            for cell in cells_of(hidden)
        }
        chances = mine_chances(hidden, constraints, 5)
        exact = {cell: c.mines / c.total for c in chances for cell in cells_of(c.cells)}
        assert exact == pytest.approx(counted)
        assert all(counted[cell] == 0 for cell in cells_of(simple_safe(constraints)))


def play_text(board: str, mines: int = 5) -> tuple[MinesweeperSolver, str]:
    solver = MinesweeperSolver()
    config = Config(rows=5, columns=5, mines=mines, max_turns=25)
    text = f"{rules(config)}\n{view(config, State('', board, (), 1, 1))}\nTurns left: 9."
    solver.reset(text, {})
    return solver, solver.act(text, {})


def test_one_number_that_covers_another_shows_a_safe_cell() -> None:
    # The first two cells hold one mine, and so do the first three: the third is safe.
    board = ".....11111000000000000000"
    _, constraints = read_constraints(5, 5, board)
    assert cells_of(simple_safe(constraints)) == [2]
    assert play_text(board, mines=2)[1] == r"\boxed{reveal 1 3}"


def test_the_number_of_mines_decides_where_the_numbers_do_not() -> None:
    solver, action = play_text("1" + "." * 24, mines=1)  # the one mine lies beside the 1
    assert action == r"\boxed{reveal 1 3}"
    rng = np.random.default_rng(0)
    drawn = {solver.consistent_move(rng) for _ in range(500)}
    beside = {(1, 1), (1, 2), (2, 1), (2, 2)}
    rest = {(row, column) for row in range(1, 6) for column in range(1, 6)} - beside
    assert drawn == {f"\\boxed{{reveal {row} {column}}}" for row, column in rest}


def test_the_least_likely_mine_is_tried_where_nothing_is_safe() -> None:
    # A 1 in the corner has its mine in one of three cells; two mines lie in the other 21.
    assert play_text("1" + "." * 24, mines=3)[1] == r"\boxed{reveal 1 3}"
    # With nine mines there, 8 of 21 is more than 1 of 3.
    assert play_text("1" + "." * 24, mines=9)[1] == r"\boxed{reveal 1 2}"


def test_a_flag_on_a_safe_cell_is_taken_away_first() -> None:
    board = "0F...01...11............."
    assert play_text(board)[1] == r"\boxed{flag 1 2}"


def test_the_first_reveal_is_the_middle() -> None:
    assert play_text("." * 25)[1] == r"\boxed{reveal 3 3}"


def test_the_last_board_of_a_text_is_read() -> None:
    old, new = State("", "." * 25, (), 1, 1), State("", "01F*." * 5, (), 1, 1)
    text = f"{view(CONFIG, old)}\nTurns left: 3.\n{view(CONFIG, new)}\nTurns left: 2."
    assert read_board(text) == new.board
    wide = Config(rows=12, columns=11, mines=5, max_turns=200)
    board = "0123456F*.8" * 12
    assert read_board(view(wide, State("", board, (), 1, 1))) == board


@pytest.mark.parametrize(
    ("text", "message"),
    [("Chess: mate the king.", "Chess"), (rules(CONFIG), "no Minesweeper board")],
)
def test_a_text_without_rules_or_board_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        MinesweeperSolver().reset(text, {})
