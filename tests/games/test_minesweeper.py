from itertools import combinations
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gem_gymnasium
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.games.minesweeper import (
    EVENTS,
    RANDOM_CONFIGS,
    Config,
    MinesweeperEnv,
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
from gem_gymnasium.games.minesweeper_grid import draw_field, neighbours
from tests.helpers import config_of

CONFIG = Config(rows=4, columns=5, mines=3, max_turns=17)
EASY = Config(rows=5, columns=5, mines=5, max_turns=25, logical=True)
# fmt: off
FIELD = (
    "*1000"
    "11000"
    "01221"
    "01**1"
)
BOARD = (
    ".1000"
    ".1000"
    ".F22."
    "....."
)
LAST = (
    ".1000"
    "11000"
    "012.1"
    "01..1"
)

# fmt: on
STATE = State(FIELD, BOARD, (), 17, 6)
END = State(FIELD, LAST, (), 17, 1)
CASES = [
    # state, move, event, hidden safe cells after it, legal, feedback
    (STATE, ("reveal", 2, 1), "revealed", 5, True, "Row 2, column 1 holds 1."),
    (STATE, ("reveal", 3, 1), "revealed", 2, True, "Row 3, column 1 holds 0: 4 cells revealed."),
    (END, ("reveal", 3, 4), "solved", 0, True, "Row 3, column 4 holds 2. Every cell without"),
    (STATE, ("reveal", 1, 1), "mine", 6, True, "Row 1, column 1 holds a mine: the game is lost."),
    (STATE, ("flag", 1, 1), "flagged", 6, True, "Row 1, column 1 is flagged."),
    (STATE, ("flag", 3, 2), "unflagged", 6, True, "Row 3, column 2 is unflagged."),
    (STATE, ("reveal", 3, 2), "flag_in_the_way", 6, False, "Row 3, column 2 is flagged: remove"),
    (STATE, ("reveal", 1, 2), "already_revealed", 6, False, "Row 1, column 2 is already revealed."),
    (STATE, ("flag", 1, 3), "already_revealed", 6, False, "Row 1, column 3 is already revealed."),
    (STATE, ("flag", 0, 1), "out_of_bounds", 6, False, "The row must be from 1 to 4, the column"),
    (STATE, ("reveal", 5, 1), "out_of_bounds", 6, False, "The row must be from 1 to 4, the column"),
    (STATE, ("reveal", 1, 6), "out_of_bounds", 6, False, "The row must be from 1 to 4, the column"),
    (STATE, ("reveal", 1, -1), "out_of_bounds", 6, False, "The row must be from 1 to 4, the col"),
]  # fmt: skip


@pytest.mark.parametrize(("state", "move", "event", "left", "legal", "feedback"), CASES)
def test_each_move_has_its_event(
    state: State, move: Any, event: str, left: int, legal: bool, feedback: str
) -> None:
    after, outcome = play(CONFIG, state, move)
    assert (outcome.event, outcome.legal, after.left) == (event, legal, left)
    assert outcome.reward == pytest.approx((state.left - left) / 17)
    assert outcome.feedback.startswith(feedback)
    assert outcome.over == (event in ("solved", "mine"))
    assert outcome.success == (event == "solved")
    if not legal:
        assert after == state


def test_the_table_covers_every_event() -> None:
    assert {case[2] for case in CASES} == {*EVENTS}


def test_a_zero_reveals_its_surroundings_up_to_flags() -> None:
    state, _ = play(CONFIG, STATE, ("reveal", 3, 1))
    assert view(CONFIG, state).splitlines() == [
        "   1 2 3 4 5",
        "1: . 1 0 0 0",
        "2: 1 1 0 0 0",
        "3: 0 F 2 2 .",
        "4: 0 1 . . .",
    ]
    state, _ = play(CONFIG, state, ("flag", 3, 2))
    assert view(CONFIG, state).splitlines()[3] == "3: 0 . 2 2 ."
    assert play(CONFIG, state, ("reveal", 3, 2))[1].event == "revealed"


def test_a_struck_mine_and_a_flag_are_shown() -> None:
    assert view(CONFIG, play(CONFIG, STATE, ("reveal", 1, 1))[0]).splitlines()[1] == "1: * 1 0 0 0"
    assert view(CONFIG, play(CONFIG, STATE, ("flag", 1, 1))[0]).splitlines()[1] == "1: F 1 0 0 0"


@pytest.mark.parametrize(("rows", "columns"), [(9, 9), (10, 4), (4, 12), (12, 30), (30, 30)])
def test_boards_of_every_size_are_drawn_row_by_row(rows: int, columns: int) -> None:
    config = Config(rows=rows, columns=columns, mines=5, max_turns=rows * columns)
    board = "".join("01234F.*"[i % 8] for i in range(rows * columns))
    lines = view(config, State("", board, (), 1, 1)).splitlines()
    assert lines[0].split() == [str(column) for column in range(1, columns + 1)]
    assert [line.split(":")[0].strip() for line in lines[1:]] == [str(i + 1) for i in range(rows)]
    assert "".join(line.split(":")[1].replace(" ", "") for line in lines[1:]) == board
    assert len({len(line) for line in lines}) == 1


def test_a_field_counts_the_mines_around_each_cell() -> None:
    mines = [0, 3, 4, 8, 14]
    field = draw_field(3, 5, mines)
    for cell, number in enumerate(field):
        row, column = divmod(cell, 5)
        near = [mine for mine in mines if max(abs(mine // 5 - row), abs(mine % 5 - column)) <= 1]
        assert number == ("*" if cell in mines else str(len(near)))
        assert {*near} - {cell} <= {*neighbours(3, 5)[cell]}


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        (r"\boxed{reveal 1 2}", ("reveal", 1, 2)),
        (r"\boxed{flag 1 1} no: \boxed{ FLAG  3,4 }", ("flag", 3, 4)),
        (r"\boxed{reveal 0 -9}", ("reveal", 0, -9)),
        (r"\boxed{reveal, 2, 3}", ("reveal", 2, 3)),
        (r"\boxed{open 1 2}", None),
        (r"\boxed{1 2}", None),
        (r"\boxed{reveal 1}", None),
        (r"\boxed{reveal 1 2 3}", None),
        (r"\boxed{reveal row column}", None),
        (r"\boxed{reveal 1 2" + " " * 60 + "}", None),
        ("reveal 1 2", None),
    ],
)
def test_parse(reply: str, move: Any) -> None:
    assert parse(reply) == move


@given(
    move=st.tuples(st.sampled_from(["reveal", "flag"]), st.integers(-9, 99), st.integers(-9, 99))
)
def test_parse_reads_what_write_wrote(move: tuple[str, int, int]) -> None:
    assert parse(write(move)) == move


@pytest.mark.parametrize("config", [Config(), EASY])
def test_no_text_before_the_first_move_holds_one(config: Config) -> None:
    assert parse(rules(config)) is None
    assert parse(form(config)) is None


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"rows": 3}, r"rows must be in 4\.\.30"),
        ({"columns": 31}, r"columns must be in 4\.\.30"),
        ({"mines": 0}, r"mines must be in 1\.\.54"),
        ({"mines": 55}, r"mines must be in 1\.\.54"),
        ({"max_turns": 53}, "at least the 54 cells without a mine"),
        ({"rows": 4, "logical": True}, "sides of 5 to 10 cells, got 4x8"),
        ({"mines": 13, "logical": True}, "8x8 cells have 8 to 12 mines, got 13"),
        ({"mines": 7, "logical": True}, "8x8 cells have 8 to 12 mines, got 7"),
    ],
)
def test_bad_rules_are_refused_at_construction(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        MinesweeperEnv(**bad)


def test_an_unknown_rule_raises_and_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'mines'"):
        gym.make("gem/Minesweeper-v0", mine=3)


@pytest.mark.parametrize("mines", [1, 3, 10])
def test_the_first_reveal_opens_its_surroundings_wherever_it_is(mines: int) -> None:
    config = Config(rows=4, columns=5, mines=mines, max_turns=20)
    for cell in range(20):
        start = deal(config, np.random.default_rng(cell))
        flagged, _ = play(config, start, ("flag", 1 + (cell + 1) % 20 // 5, 1 + (cell + 1) % 5))
        state, outcome = play(config, flagged, ("reveal", cell // 5 + 1, cell % 5 + 1))
        assert (start.field, outcome.success or outcome.event) == ("", "revealed")
        assert state.board[cell] == "0"
        assert (state.field.count("*"), state.order) == (mines, ())
        assert "*" not in {state.field[other] for other in neighbours(4, 5)[cell]}
        # The moves decide, nothing is drawn: the same moves deal the same mines.
        assert play(config, flagged, ("reveal", cell // 5 + 1, cell % 5 + 1))[0] == state


def test_the_mines_of_a_first_reveal_are_any_others() -> None:
    config = Config(rows=4, columns=4, mines=2, max_turns=16)
    rng, seen = np.random.default_rng(0), set[tuple[int, ...]]()
    for _ in range(1_500):
        field = play(config, deal(config, rng), ("reveal", 1, 2))[0].field
        seen.add(tuple(cell for cell, number in enumerate(field) if number == "*"))
    assert seen == {*combinations([3, 7, *range(8, 16)], 2)}


def provably_safe(state: State, mines: int) -> set[int]:
    """Return the hidden cells that hold a mine in no arrangement: all of them are tried."""
    board, hidden = state.board, [i for i, seen in enumerate(state.board) if seen == "."]
    numbers = [(int(seen), {*neighbours(5, 5)[i]}) for i, seen in enumerate(board) if seen != "."]
    possible = set[int]()
    for chosen in combinations(hidden, mines):
        if not {*chosen} <= possible and all(
            len(around.intersection(chosen)) == number for number, around in numbers
        ):
            possible.update(chosen)
    return {*hidden} - possible


@pytest.mark.parametrize("seed", range(12))
def test_a_logical_board_is_solved_by_its_safe_cells(seed: int) -> None:
    state, total, over = deal(EASY, np.random.default_rng(seed)), 0.0, False
    assert state.left == state.safe >= 5
    assert "0" in state.board
    while not over:
        safe = provably_safe(state, 5)
        assert safe, view(EASY, state)
        cell = min(safe)
        state, outcome = play(EASY, state, ("reveal", cell // 5 + 1, cell % 5 + 1))
        total, over = total + outcome.reward, outcome.over
    assert (outcome.success, total) == (True, 1.0)


LOGICAL = [(5, 5, 3), (5, 5, 5), (5, 10, 6), (5, 10, 10), (8, 8, 8), (8, 8, 12), (10, 10, 20)]


@pytest.mark.parametrize(("rows", "columns", "mines"), LOGICAL)
def test_logical_boards_of_every_kind_are_dealt(rows: int, columns: int, mines: int) -> None:
    config = Config(rows=rows, columns=columns, mines=mines, max_turns=100, logical=True)
    states = [deal(config, np.random.default_rng(seed)) for seed in range(3)]
    assert len({*states}) == 3
    for state in states:
        assert state.field.count("*") == mines
        hidden = state.board.count(".")
        assert state.left == hidden - mines >= (rows * columns - mines) / 4
        shown = zip(state.board, state.field, strict=True)
        assert all(seen in (".", number) and seen != "*" for seen, number in shown)


def test_legal_moves_are_those_that_play_allows() -> None:
    rng = np.random.default_rng(0)
    every = {
        (verb, row, column)
        for verb in ("reveal", "flag")
        for row in range(1, 5)
        for column in range(1, 6)
        if play(CONFIG, STATE, (verb, row, column))[1].legal
    }
    assert {legal_move(CONFIG, STATE, rng) for _ in range(500)} == every


@given(seed=st.integers(0, 2**32 - 1), which=st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_a_solved_board_pays_exactly_1(seed: int, which: int) -> None:
    config, rng = (*RANDOM_CONFIGS, EASY, Config())[which], np.random.default_rng(seed)
    state, total = deal(config, rng), 0.0
    for cell in rng.permutation(config.rows * config.columns).tolist():
        if state.board[cell] == "." and state.field[cell : cell + 1] != "*":
            move = "reveal", cell // config.columns + 1, cell % config.columns + 1
            state, outcome = play(config, state, move)
            total += outcome.reward
            assert progress(config, state) == pytest.approx(total)
    assert (total, outcome.success) == (1.0, True)


MOVES = st.tuples(st.sampled_from(["reveal", "flag"]), st.integers(0, 6), st.integers(1, 5))
ACTIONS = st.one_of(MOVES.map(write), st.just("no idea"), st.just("legal"), st.just("again"))


@given(
    actions=st.lists(ACTIONS, min_size=25, max_size=25),
    ends=st.booleans(),
    logical=st.booleans(),
    seed=st.integers(0),
)
@settings(max_examples=50, deadline=None)
def test_the_return_stays_in_its_documented_range(
    actions: list[str], ends: bool, logical: bool, seed: int
) -> None:
    env = MinesweeperEnv(
        rows=5, columns=5, mines=5, max_turns=25, logical=logical,
        on_malformed="end" if ends else "continue",
    )  # fmt: skip
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    total, paid, done, reply = 0.0, 0.0, False, write(("flag", 1, 1))
    for action in actions:
        if done:
            break
        if action == "legal":
            reply = env.sample_legal_action(rng)
        elif action != "again":
            reply = action
        _, reward, done, truncated, info = env.step(reply)
        total, paid = total + reward, paid + max(0.0, reward)
        assert not truncated
        assert info["event"] in (*EVENTS, "malformed")
        assert info["legal"] or action != "legal"
        assert info["progress"] == pytest.approx(paid)
    assert done
    assert (-0.1 if ends else -0.1 * 25) - 1e-9 <= total <= 1.0


def test_a_snapshot_before_the_first_reveal_deals_the_same_mines() -> None:
    env = gym.make("gem/Minesweeper-v0")
    env.reset(seed=7)
    data = gem_gymnasium.snapshot(env)
    expected = env.step(write(("reveal", 4, 4)))
    other = gym.make("gem/Minesweeper-v0")
    gem_gymnasium.restore(other, data)
    assert other.step(write(("reveal", 4, 4))) == expected


def test_the_variants_are_those_of_the_table() -> None:
    assert config_of("gem/Minesweeper-v0") == Config(rows=8, columns=8, mines=10, max_turns=64)
    assert config_of("gem/Minesweeper-easy-v0") == EASY
    hard = Config(rows=8, columns=8, mines=12, max_turns=64, logical=True)
    assert config_of("gem/Minesweeper-hard-v0") == hard
    env = MinesweeperEnv(random=True)
    assert {(env.reset(seed=seed), env.config)[1] for seed in range(40)} == {*RANDOM_CONFIGS}
