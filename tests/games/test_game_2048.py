from collections import Counter
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gem_gymnasium
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.core.text_env import Outcome
from gem_gymnasium.games.game_2048 import (
    DIGITS,
    DIRECTIONS,
    EVENTS,
    RANDOM_CONFIGS,
    Config,
    Game2048Env,
    State,
    add_tile,
    can_move,
    chance,
    deal,
    fewest_turns,
    form,
    legal_move,
    parse,
    play,
    progress,
    rules,
    slide,
    slide_line,
    view,
    write,
)
from gem_gymnasium.solvers.game_2048 import (
    DISORDER,
    EMPTY,
    LOST,
    NEXT_TO_EQUAL,
    Game2048Solver,
    mirror,
    move_all,
    read_board,
    tables,
    value_moves,
)
from tests.helpers import config_of

EIGHT = Config(target=8, max_turns=50)
BOARD = "1120 0202 0000 1000".replace(" ", "")
FULL = "1212 2121 1212 3313".replace(" ", "")
NO_LEFT = "1200" * 4
STATE = State(BOARD, start=1, best=2)
CASES = [
    (Config(), STATE, "up", "moved", 0.0, True, "Moved up."),
    (Config(), STATE, "left", "moved", 0.1, True, "Moved left: the largest tile is 8."),
    (EIGHT, STATE, "right", "reached", 0.5, True, "Moved right and made 8: you win."),
    (Config(), State(NO_LEFT, 1, 2), "left", "blocked", 0.0, False, "No tile can"),
]


@pytest.mark.parametrize(("config", "state", "move", "event", "reward", "legal", "feedback"), CASES)
def test_each_move_has_its_event(
    config: Config, state: State, move: str, event: str, reward: float, legal: bool, feedback: str
) -> None:
    after, outcome = play(config, state, move)
    assert (outcome.event, outcome.legal) == (event, legal)
    assert outcome.reward == pytest.approx(reward, abs=1e-12)
    assert outcome.feedback.startswith(feedback)
    assert outcome.over == outcome.success == (event == "reached")
    assert after.board == slide(4, state.board, move)
    assert legal or after == state


def test_a_board_without_a_move_ends_the_game() -> None:
    state, outcome = play(Config(), State(FULL, 1, 3), "left")
    state, outcome = chance(Config(), state, outcome, np.random.default_rng(0))
    assert (outcome.event, outcome.over, outcome.success) == ("stuck", True, False)
    assert outcome.reward == pytest.approx(0.1)
    assert outcome.feedback.splitlines() == [
        "Moved left: the largest tile is 16. New tile: 2 at row 4, column 4.",
        "No move is left: the game is lost.",
    ]
    assert not can_move(4, state.board)


def test_the_tables_cover_every_event() -> None:
    assert {*[case[3] for case in CASES], "stuck"} == {*EVENTS}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("0000", "0000"),
        ("0101", "2000"),
        ("1110", "2100"),
        ("1111", "2200"),
        ("1120", "2200"),
        ("2112", "2220"),
        ("1212", "1212"),
        ("99aa", "ab00"),
    ],
)
def test_slide_line(line: str, expected: str) -> None:
    assert slide_line(line) == expected


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        ("left", "2200 3000 0000 1000"),
        ("right", "0022 0003 0000 0001"),
        ("up", "2122 0200 0000 0000"),
        ("down", "0000 0000 0100 2222"),
    ],
)
def test_slide_in_four_directions(direction: str, expected: str) -> None:
    assert slide(4, BOARD, direction) == expected.replace(" ", "")


BOARDS = st.text(DIGITS[:12], min_size=16, max_size=16)


@given(board=BOARDS)
def test_a_move_keeps_the_sum_of_the_tiles(board: str) -> None:
    def total(board: str) -> int:
        return sum(1 << DIGITS.index(tile) for tile in board if tile != "0")

    for direction in DIRECTIONS:
        assert total(slide(4, board, direction)) == total(board)
    movable = any(slide(4, board, direction) != board for direction in DIRECTIONS)
    assert can_move(4, board) == movable or not total(board)


def test_new_tiles_are_uniform_and_one_in_ten_is_a_4() -> None:
    rng, counts = np.random.default_rng(0), Counter[tuple[int, str]]()
    for _ in range(5_000):
        board, cell = add_tile(BOARD, rng)
        assert BOARD[cell] == "0"
        assert f"{board[:cell]}0{board[cell + 1 :]}" == BOARD
        counts[cell, board[cell]] += 1
    assert 0.08 < sum(n for (_, tile), n in counts.items() if tile == "2") / 5_000 < 0.12
    cells = Counter(cell for cell, _ in counts.elements())
    assert len(cells) == 10
    assert all(400 < n < 600 for n in cells.values())


def test_a_deal_has_two_tiles() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        board, start, best = deal(Config(), rng)
        assert board.count("0") == 14
        assert start == best == int(max(board))


def test_the_board_is_drawn_aligned() -> None:
    assert view(Config(), State(f"b016{BOARD[4:]}", 1, 11)).splitlines() == [
        "2048    .    2   64",
        "   .    4    .    4",
        "   .    .    .    .",
        "   2    .    .    .",
    ]
    assert view(Config(target=64), STATE).splitlines()[0] == " 2  2  4  ."


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        (r"\boxed{up}", "up"),
        (r"\boxed{up} no: \boxed{ LEFT }", "left"),
        (r"\boxed{jump}", None),
        (r"\boxed{}", None),
        ("up", None),
    ],
)
def test_parse(reply: str, move: str | None) -> None:
    assert parse(reply) == move


def test_parse_reads_moves_and_none_in_the_rules() -> None:
    assert [parse(write(move)) for move in DIRECTIONS] == [*DIRECTIONS]
    assert parse(rules(Config())) is None
    assert parse(form(Config())) is None


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"size": 1}, r"size must be in 2\.\.5"),
        ({"target": 100}, "target must be a power of 2"),
        ({"target": 4}, "target must be a power of 2"),
        ({"target": 64, "size": 2}, r"in 8\.\.32 for size 2"),
        ({"target": 512, "max_turns": 50}, "max_turns must be at least 133"),
        ({"max_turns": 100}, "max_turns must be at least 519"),
    ],
)
def test_bad_rules_are_refused_at_construction(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Game2048Env(**bad)


def test_an_unknown_rule_raises_and_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'target'"):
        gym.make("gem/Game2048-v0", targets=64)


def test_the_fewest_turns_are_reached_with_all_the_luck() -> None:
    class Fours:
        def random(self) -> float:
            return 0.0  # the first empty cell gets a 4

    rng: Any = Fours()
    for target in (8, 16, 32):
        config = Config(target=target, max_turns=60)
        states = {deal(config, rng)}
        turn, won = 0, False
        while not won:
            played = [play(config, state, move) for state in states for move in DIRECTIONS]
            turn, won = turn + 1, any(outcome.success for _, outcome in played)
            moved = [(state, outcome) for state, outcome in played if outcome.legal and not won]
            states = {chance(config, state, outcome, rng)[0] for state, outcome in moved}
        assert turn == fewest_turns(target)


def test_legal_moves_are_those_that_change_the_board() -> None:
    rng, state = np.random.default_rng(0), State(NO_LEFT, 1, 2)
    assert {legal_move(Config(), state, rng) for _ in range(100)} == {"up", "down", "right"}


def test_the_env_draws_the_tiles_so_branches_differ() -> None:
    env = gym.make("gem/Game2048-v0")
    env.reset(seed=0)
    one, other = gem_gymnasium.branch(env, 2)
    actions = [write(move) for move in ("up", "left", "right", "down") * 3]
    plays = [[e.step(action)[0] for action in actions] for e in (env, one, other)]
    assert plays[0] == plays[1] != plays[2]


def test_a_blocked_move_brings_no_tile() -> None:
    env = Game2048Env()
    env.reset(seed=0)
    env._state = State(NO_LEFT, 1, 2)
    _, reward, done, _, info = env.step(write("left"))
    assert (reward, done, info["legal"], info["turn"]) == (0.0, False, False, 1)
    assert env._state == State(NO_LEFT, 1, 2)


ACTIONS = st.sampled_from([*map(write, DIRECTIONS), "legal", "best", "best", "best", "no idea"])


@given(
    actions=st.lists(ACTIONS, min_size=20, max_size=20),
    ends=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None)
def test_the_return_stays_in_its_documented_range(
    actions: list[str], ends: bool, seed: int
) -> None:
    config = {"target": 16, "max_turns": 20}
    env = Game2048Env(on_malformed="end" if ends else "continue", **config)
    observation, info = env.reset(seed=seed)
    solver, rng = Game2048Solver(), np.random.default_rng(seed)
    solver.reset(observation, {})
    total, malformed, done = 0.0, 0, False
    for action in actions:
        if done:
            break
        reply = env.sample_legal_action(rng) if action == "legal" else action
        reply = solver.act(observation, {}) if action == "best" else reply
        observation, reward, done, truncated, info = env.step(reply)
        total += reward
        malformed += info["event"] == "malformed"
        assert not truncated
        assert info["event"] in (*EVENTS, "malformed")
        assert info["legal"] or action not in ("legal", "best")
        assert env._state is not None
        assert info["progress"] == progress(env.config, env._state)
    assert done
    assert (-0.1 if ends else -0.1 * 20) - 1e-9 <= total <= 1.0
    assert total == pytest.approx(info["progress"] - 0.1 * malformed, abs=1e-9)
    assert info["success"] == (info["progress"] == 1.0)


def test_every_variant_has_its_rules() -> None:
    assert config_of("gem/Game2048-v0") == Config(target=2048, max_turns=1_500)
    assert config_of("gem/Game2048-easy-v0") == Config(target=64, max_turns=50)
    assert config_of("gem/Game2048-hard-v0") == Config(target=1024, max_turns=650)
    assert config_of("gem/Game2048-extreme-hard-v0") == Config(target=2048, max_turns=1_100)
    env = Game2048Env(random=True)
    assert {(env.reset(seed=seed), env.config)[1] for seed in range(40)} == {*RANDOM_CONFIGS}


# -- the solver -------------------------------------------------------------------------------


def pack_board(board: str) -> int:
    return int(board[::-1], 16)


@given(board=BOARDS)
def test_the_solvers_moves_are_the_games(board: str) -> None:
    boards = np.array([pack_board(board)] * 2, np.uint64)
    moved = move_all(boards)
    assert moved.shape == (4, 2)
    assert moved[:, 0].tolist() == [pack_board(slide(4, board, move)) for move in DIRECTIONS]
    assert int(mirror(boards)[0]) == pack_board("".join(board[i::4] for i in range(4)))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("0000", 4 * EMPTY),
        ("3210", EMPTY),
        ("1011", EMPTY + 3 * NEXT_TO_EQUAL - DISORDER),
        ("2233", 4 * NEXT_TO_EQUAL),
        ("1312", -DISORDER * 26),
    ],
)
def test_the_worth_of_a_line(line: str, expected: int) -> None:
    assert tables().values[pack_board(line)] == expected


def plain_value(board: str, depth: int, tile_next: bool) -> float:
    """Return the value of a board by expectimax, in the plainest way there is."""
    if depth == 0:
        lines = [board[i * 4 : i * 4 + 4] for i in range(4)] + [board[i::4] for i in range(4)]
        return sum(tables().values[pack_board(line)] for line in lines)
    if not tile_next:
        after = [slide(4, board, move) for move in DIRECTIONS]
        return max((plain_value(b, depth - 1, True) for b in after if b != board), default=LOST)
    empty = [cell for cell, tile in enumerate(board) if tile == "0"]
    return sum(
        share * plain_value(f"{board[:cell]}{tile}{board[cell + 1 :]}", depth, False) / len(empty)
        for cell in empty
        for tile, share in (("1", 0.9), ("2", 0.1))
    )


@pytest.mark.parametrize("board", [BOARD, FULL, "1234567821211111"])
def test_the_values_are_those_of_a_plain_expectimax(board: str) -> None:
    values = value_moves(pack_board(board), 2)
    for index, move in enumerate(DIRECTIONS):
        after = slide(4, board, move)
        assert (index in values) == (after != board)
        if after != board:
            assert values[index] == pytest.approx(plain_value(after, 1, True), abs=1e-2)


def test_the_solver_refuses_what_it_cannot_solve() -> None:
    env = gym.make("gem/Game2048-v0", size=5)
    with pytest.raises(ConfigError, match="only 4x4 boards"):
        Game2048Solver().reset(*env.reset(seed=0))
    with pytest.raises(ConfigError, match="Chess"):
        Game2048Solver().reset("Chess: mate the king.", {})


def test_boards_are_read_from_the_end_of_a_text() -> None:
    rows = view(Config(), STATE)
    assert read_board(f"9 9 9 9\n{rows}\nTurns left: 3.") == pack_board(BOARD)
    assert read_board("2 . 2\n2 . 2") is None


def test_an_outcome_of_chance_keeps_the_moves_reward() -> None:
    state, outcome = chance(
        Config(), STATE, Outcome("moved", "Moved up.", 0.25), np.random.default_rng(1)
    )
    assert (outcome.event, outcome.reward, outcome.over) == ("moved", 0.25, False)
    assert state.board != STATE.board
