from collections import Counter
from itertools import pairwise
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.games.fifteen_puzzle import (
    EVENTS,
    HOMING,
    RANDOM_CONFIGS,
    Config,
    FifteenPuzzleEnv,
    begin,
    deal,
    form,
    legal_move,
    optimal_turns,
    pack,
    parse,
    play,
    progress,
    rules,
    view,
    write,
)
from gem_gymnasium.games.fifteen_puzzle_search import (
    DIRECTIONS,
    HARDEST,
    UNREACHED,
    Board,
    boards_within,
    decode,
    exact_table,
    goal_of,
    is_solvable,
    slide,
    solve,
    transpose,
    walk_nodes,
    walks,
)
from gem_gymnasium.solvers.fifteen_puzzle import (
    WORST_OF_STAGES,
    FifteenPuzzleSolver,
    plan_stages,
    read_board,
    stages,
)
from tests.helpers import config_of

# fmt: off
BOARD = (
    1, 2, 3,
    4, 0, 6,
    7, 5, 8,
)
# fmt: on
STATE = begin(3, BOARD, 2)
LAST = begin(3, (1, 2, 3, 4, 5, 6, 7, 0, 8), 1)
CORNER = begin(3, (0, 2, 3, 1, 4, 6, 7, 5, 8), 4)
CASES = [
    (STATE, "up", "moved", 0.5, True, "5 slid up."),
    (STATE, "down", "moved", 0.0, True, "2 slid down."),
    (STATE, "left", "moved", 0.0, True, "6 slid left."),
    (STATE, "right", "moved", 0.0, True, "4 slid right."),
    (LAST, "left", "solved", 1.0, True, "8 slid left. The tiles are in order: you win."),
    (CORNER, "down", "blocked", 0.0, False, "No tile can slide down."),
    (CORNER, "right", "blocked", 0.0, False, "No tile can slide right."),
]


@pytest.mark.parametrize(("state", "move", "event", "reward", "legal", "feedback"), CASES)
def test_each_move_has_its_event(
    state: Any, move: str, event: str, reward: float, legal: bool, feedback: str
) -> None:
    after, outcome = play(Config(size=3), state, move)
    assert (outcome.event, outcome.reward, outcome.legal) == (event, reward, legal)
    assert outcome.feedback == feedback
    assert outcome.over == outcome.success == (event == "solved")
    if legal:
        assert after.board == slide(3, state.board, DIRECTIONS.index(move))
        assert after.distance == begin(3, after.board, 0).distance
        assert after.best == min(state.best, after.distance)
    else:
        assert after == state


def test_the_table_covers_every_event() -> None:
    assert {case[2] for case in CASES} == {*EVENTS}


def test_a_move_back_and_forth_pays_once() -> None:
    state, total = STATE, 0.0
    for move in ("up", "down", "up", "down", "up", "left"):
        state, outcome = play(Config(size=3), state, move)
        total += outcome.reward
    assert (outcome.event, total) == ("solved", 1.0)


def test_the_board_is_drawn_aligned() -> None:
    assert view(Config(size=3), STATE).splitlines() == ["1 2 3", "4 _ 6", "7 5 8"]
    board = (0, *range(15, 0, -1))
    assert view(Config(), begin(4, board, -1)).splitlines() == [
        " _ 15 14 13",
        "12 11 10  9",
        " 8  7  6  5",
        " 4  3  2  1",
    ]


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        (r"\boxed{up}", "up"),
        (r"\boxed{up} no: \boxed{ LEFT }", "left"),
        (r"\boxed{\text{Right}}", "right"),
        (r"\boxed{north}", None),
        (r"\boxed{up down}", None),
        (r"\boxed{}", None),
        ("up", None),
    ],
)
def test_parse(reply: str, move: str | None) -> None:
    assert parse(reply) == move


@pytest.mark.parametrize("size", [2, 3, 4])
def test_parse_reads_moves_and_none_in_the_rules(size: int) -> None:
    assert [parse(write(move)) for move in DIRECTIONS] == [*DIRECTIONS]
    assert parse(rules(Config(size=size))) is None
    assert parse(form(Config(size=size))) is None


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"size": 5}, "size must be 2, 3 or 4"),
        ({"size": 1}, "size must be 2, 3 or 4"),
        ({"max_turns": 49}, "max_turns must be at least 50 for size 4"),
        ({"size": 3, "max_turns": 1}, "max_turns must be at least 2 for size 3"),
    ],
)
def test_bad_rules_are_refused_at_construction(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        FifteenPuzzleEnv(**bad)


def test_an_unknown_rule_raises_and_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'size'"):
        gym.make("gem/FifteenPuzzle-v0", sise=3)


# -- the searches -----------------------------------------------------------------------------


def test_half_of_the_boards_are_solvable_and_moves_keep_it_so() -> None:
    rng = np.random.default_rng(0)
    boards = [tuple(rng.permutation(16).tolist()) for _ in range(2_000)]
    assert 0.45 < np.mean([is_solvable(4, board) for board in boards]) < 0.55
    for board in boards[:200]:
        for direction in range(4):
            after = slide(4, board, direction)
            assert after is None or is_solvable(4, after) == is_solvable(4, board)
    assert is_solvable(4, goal_of(4))
    assert not is_solvable(4, (*range(1, 14), 15, 14, 0))


@pytest.mark.parametrize(("size", "boards"), [(2, 12), (3, 181_440)])
def test_the_exact_tables_hold_every_solvable_board(size: int, boards: int) -> None:
    distances = exact_table(size).distances
    reached = distances[distances != UNREACHED]
    assert (len(reached), reached.max()) == (boards, HARDEST[size])
    assert len(boards_within(size, HARDEST[size])) == boards - 1
    assert len(boards_within(size, 10**9)) == boards - 1


def breadth_first(size: int, depth: int) -> dict[Board, int]:
    """Return the boards up to ``depth`` moves from the goal, in the plainest way there is."""
    found, layer = {goal_of(size): 0}, [goal_of(size)]
    for moves in range(1, depth + 1):
        after = [slide(size, board, direction) for board in layer for direction in range(4)]
        layer = [*{board for board in after if board is not None and board not in found}]
        found |= dict.fromkeys(layer, moves)
    return found


def test_the_3x3_table_agrees_with_a_plain_search() -> None:
    plain = breadth_first(3, 12)
    assert all(exact_table(3).distance(board) == moves for board, moves in plain.items())
    codes = boards_within(3, 12).tolist()
    assert {decode(3, code) for code in codes} == {*plain} - {goal_of(3)}


def test_ida_star_agrees_with_a_plain_search() -> None:
    plain = breadth_first(4, 11)
    for board, moves in [*plain.items()][::40]:
        path = solve(board)
        assert path is not None
        assert len(path) == moves
        row, column = walk_nodes(board)
        assert walks().distances[row] + walks().distances[column] <= moves
        assert moves == 0 or solve(board, most=moves - 1) is None
        for direction in path:
            after = slide(4, board, direction)
            assert after is not None
            board = after
        assert board == goal_of(4)


@pytest.mark.parametrize("size", [2, 3])
def test_the_mirror_image_is_as_far_away(size: int) -> None:
    for code in boards_within(size, HARDEST[size])[:: 1 if size == 2 else 700].tolist():
        board = decode(size, code)
        mirrored = transpose(size, board)
        assert transpose(size, mirrored) == board
        assert exact_table(size).distance(mirrored) == exact_table(size).distance(board)


# -- deals ------------------------------------------------------------------------------------


def test_the_pack_is_certified() -> None:
    boards = pack()
    assert len(boards) == 4_000
    every = [board for board, _ in boards]
    assert len({*every, *(transpose(4, board) for board in every)}) > 7_990
    assert all(sorted(board) == [*range(16)] and is_solvable(4, board) for board in every)
    assert {moves for _, moves in boards} <= {*range(1, 34)}
    for board, moves in boards[::80]:
        path = solve(board)
        assert path is not None
        assert len(path) == moves


@pytest.mark.parametrize(("size", "turns", "most"), [(2, 10, 6), (2, 3, 2), (3, 47, 31), (3, 9, 6)])
def test_small_boards_are_dealt_uniformly_with_slack(size: int, turns: int, most: int) -> None:
    config, rng = Config(size=size, max_turns=turns), np.random.default_rng(0)
    codes = boards_within(size, most)
    counts = Counter(deal(config, rng).board for _ in range(3_000))
    assert {*counts} <= {decode(size, code) for code in codes.tolist()}
    for board in counts:
        assert 1 <= exact_table(size).distance(board) <= turns / 1.5
    if len(codes) < 100:
        expected = 3_000 / len(codes)
        assert len(counts) == len(codes)
        assert all(abs(n - expected) < 6 * expected**0.5 for n in counts.values())
    else:
        assert len(counts) > 2_900


@pytest.mark.parametrize("turns", [50, 119, 120, 200])
def test_4x4_boards_are_dealt_solvable_and_unsolved(turns: int) -> None:
    config, rng = Config(max_turns=turns), np.random.default_rng(0)
    starts = [deal(config, rng) for _ in range(300)]
    assert all(is_solvable(4, state.board) and state.distance > 0 for state in starts)
    assert len({state.board for state in starts}) > 280
    if turns < 120:
        packed = dict(pack())
        packed |= {transpose(4, board): moves for board, moves in packed.items()}
        assert all(packed[state.board] == optimal_turns(config, state) for state in starts)
        assert any(state.board not in dict(pack()) for state in starts)
    else:
        assert {optimal_turns(config, state) for state in starts} == {-1}


def test_every_variant_has_its_rules() -> None:
    assert config_of("gem/FifteenPuzzle-v0") == Config(size=4, max_turns=200)
    assert config_of("gem/FifteenPuzzle-easy-v0") == Config(size=2, max_turns=10)
    assert config_of("gem/FifteenPuzzle-hard-v0") == Config(size=4, max_turns=50)
    env = FifteenPuzzleEnv(random=True)
    assert {(env.reset(seed=seed), env.config)[1] for seed in range(40)} == {*RANDOM_CONFIGS}


def test_legal_moves_are_those_that_slide_a_tile() -> None:
    rng = np.random.default_rng(0)
    for state in (STATE, LAST, CORNER):
        drawn = {legal_move(Config(size=3), state, rng) for _ in range(100)}
        assert drawn == {m for m in DIRECTIONS if play(Config(size=3), state, m)[1].legal}


ACTIONS = st.sampled_from([*map(write, DIRECTIONS), "legal", "solve", "no idea"])


@given(
    actions=st.lists(ACTIONS, min_size=12, max_size=12),
    size=st.sampled_from([2, 3]),
    ends=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None)
def test_the_return_stays_in_its_documented_range(
    actions: list[str], size: int, ends: bool, seed: int
) -> None:
    env = FifteenPuzzleEnv(size=size, max_turns=12, on_malformed="end" if ends else "continue")
    observation, info = env.reset(seed=seed)
    solver, rng = FifteenPuzzleSolver(), np.random.default_rng(seed)
    solver.reset(observation, {})
    total, done = 0.0, False
    for action in actions:
        if done:
            break
        reply = env.sample_legal_action(rng) if action == "legal" else action
        reply = solver.act(observation, {}) if action == "solve" else reply
        observation, reward, done, truncated, info = env.step(reply)
        total += reward
        assert not truncated
        assert info["event"] in (*EVENTS, "malformed")
        assert info["legal"] or action not in ("legal", "solve")
        assert env._state is not None
        assert info["progress"] == progress(env.config, env._state)
        assert not info["success"] or env._state.board == goal_of(size)
    assert done
    assert (-0.1 if ends else -0.1 * 12) - 1e-9 <= total <= 1.0
    assert not info["success"] or total == 1.0 or not ends


def test_no_distance_from_home_is_above_the_shortest_solution() -> None:
    for board, moves in pack()[:200]:
        assert sum(HOMING[4][tile][cell] for cell, tile in enumerate(board)) <= moves


# -- the solver -------------------------------------------------------------------------------


def test_the_stages_end_within_their_proved_worst_case() -> None:
    worst = HARDEST[3]
    for table in stages():
        worst += int(table.distances[table.distances != UNREACHED].max())
    assert worst == WORST_OF_STAGES <= 120


def test_a_plan_in_stages_keeps_what_it_finished() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        board = deal(Config(), rng).board
        seen = [board]
        for direction in plan_stages(board):
            after = slide(4, seen[-1], direction)
            assert after is not None
            seen.append(after)
        assert seen[-1] == goal_of(4)
        assert len(seen) <= WORST_OF_STAGES + 1
        done = [board[:4] == (1, 2, 3, 4) for board in seen]
        assert all(after or not before for before, after in pairwise(done))


def test_the_solver_takes_up_a_board_that_it_did_not_plan() -> None:
    env = gym.make("gem/FifteenPuzzle-hard-v0", max_turns=70)
    observation, info = env.reset(seed=5)
    solver, done = FifteenPuzzleSolver(), False
    solver.reset(observation, {})
    rng = np.random.default_rng(0)
    while not done:
        stray = info["turn"] < 6 and info["turn"] % 2
        action = env.unwrapped.sample_legal_action(rng) if stray else solver.act(observation, {})
        observation, _, done, _, info = env.step(action)
    assert info["success"]


def test_boards_are_read_from_the_end_of_a_text() -> None:
    text = "7 7 7 7\n3 1\n2 _\nTurns left: 9.\n> 1 2\n1 _\n2 3\nTurns left: 8."
    assert read_board(text) == (1, 0, 2, 3)
    assert read_board("no board\n1 2 3\n4 5 6") is None
    assert read_board("1 " * 20_000 + "x") is None
