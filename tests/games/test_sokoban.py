from collections import Counter
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gem_gymnasium  # noqa: F401 - registers the ids
from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.games.sokoban import (
    DIRECTIONS,
    EVENTS,
    RANDOM_CONFIGS,
    SHORTEST,
    SLACK,
    SYMMETRIES,
    Config,
    SokobanEnv,
    State,
    deal,
    find_player,
    legal_move,
    load_levels,
    optimal_turns,
    parse,
    play,
    progress,
    read_level,
    read_moves,
    rules,
    view,
    write,
)
from gem_gymnasium.solvers.sokoban_search import find_plan
from tests.helpers import config_of, steps_in_range

EASY = Config(size=6, boxes=2, max_turns=20)
HARD = Config(size=8, boxes=4, max_turns=50)
CONFIGS = (Config(), EASY, HARD, RANDOM_CONFIGS[1])


def board(*rows: str) -> str:
    return "".join(("######", *(f"#{row}#" for row in rows), "######"))


def state(*rows: str, best: int = 0) -> State:
    text = board(*rows)
    return State(text, find_player(text), best, 9)


ROOM = "G...", ".PB.", ".B#.", "G..."
BLOCKS = "GBPB", "..BB", "G...", "...."
ON_GOAL = "GB..", "+B..", "....", "...."
CASES = [
    (ROOM, 0, "up", "moved", 0.0, "You moved up.", ("GP..", "..B.", ".B#.", "G...")),
    (ROOM, 0, "left", "moved", 0.0, "You moved left.", ("G...", "P.B.", ".B#.", "G...")),
    (ROOM, 0, "right", "pushed", 0.0, "You pushed a box right: 0 of 2 boxes on goals.",
     ("G...", "..PB", ".B#.", "G...")),
    (ROOM, 0, "down", "pushed", 0.0, "You pushed a box down: 0 of 2 boxes on goals.",
     ("G...", "..B.", ".P#.", "GB..")),
    (BLOCKS, 0, "up", "wall", 0.0, "You cannot move up: a wall.", None),
    (BLOCKS, 0, "right", "blocked", 0.0, "You cannot push the box right: a wall is behind it.",
     None),
    (("G.B.", "P.B.", "BB..", "B..."), 0, "down", "blocked", 0.0,
     "You cannot push the box down: a box is behind it.", None),
    (BLOCKS, 0, "left", "pushed", 0.5, "You pushed a box left: 1 of 2 boxes on goals.",
     ("*P.B", "..BB", "G...", "....")),
    (BLOCKS, 1, "left", "pushed", 0.0, "You pushed a box left: 1 of 2 boxes on goals.",
     ("*P.B", "..BB", "G...", "....")),
    (("*BPG", "....", "....", "...."), 1, "left", "blocked", 0.0,
     "You cannot push the box left: a box is behind it.", None),
    (ON_GOAL, 0, "down", "moved", 0.0, "You moved down.", ("GB..", "GB..", "P...", "....")),
    (ON_GOAL, 0, "up", "moved", 0.0, "You moved up.", ("+B..", "GB..", "....", "....")),
    (("P*.G", "....", "....", "...B"), 1, "right", "pushed", 0.0,
     "You pushed a box right: 0 of 2 boxes on goals.", (".+BG", "....", "....", "...B")),
    (("*.PB", "...G", "....", "...."), 1, "right", "blocked", 0.0,
     "You cannot push the box right: a wall is behind it.", None),
    (("*P..", "...B", "...G", "...."), 1, "left", "blocked", 0.0,
     "You cannot push the box left: a wall is behind it.", None),
    (("*..P", "...B", "...G", "...."), 1, "down", "solved", 0.5,
     "You pushed a box down: 2 of 2 boxes on goals, you win.", ("*...", "...P", "...*", "....")),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "best", "move", "event", "reward", "feedback", "after"), CASES)
def test_each_move_has_its_event(
    rows: tuple[str, ...],
    best: int,
    move: str,
    event: str,
    reward: float,
    feedback: str,
    after: Any,
) -> None:
    before = state(*rows, best=best)
    then, outcome = play(EASY, before, move)
    assert (outcome.event, outcome.reward, outcome.feedback) == (event, reward, feedback)
    assert outcome.legal == (after is not None)
    assert outcome.over == outcome.success == (event == "solved")
    if after is None:
        assert then == before
    else:
        assert then == state(*after, best=max(best, "".join(after).count("*")))


def test_the_table_covers_every_event() -> None:
    assert {case[3] for case in CASES} == {*EVENTS}


def test_the_board_is_drawn_with_the_numbers_of_rows_and_columns() -> None:
    assert view(EASY, state("G*..", "+.B.", "..#.", "....")).splitlines() == [
        "   1 2 3 4 5 6",
        "1: # # # # # #",
        "2: # G * . . #",
        "3: # + . B . #",
        "4: # . . # . #",
        "5: # . . . . #",
        "6: # # # # # #",
    ]


def test_the_rules_name_the_numbers_and_every_glyph() -> None:
    text = rules(HARD)
    assert "push all 4 boxes onto the 4 goals within 50 turns" in text
    for glyph in ("# is a wall", ". floor", "G a goal", "B a box", "* a box on a goal", "P you",
                  "+ you on a goal"):  # fmt: skip
        assert glyph in text


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        (r"\boxed{up}", "up"),
        (r"\boxed{left} no: \boxed{ DOWN }", "down"),
        (r"I go \boxed{Right}.", "right"),
        (r"\boxed{up down}", None),
        (r"\boxed{}", None),
        (r"\boxed{north}", None),
        ("up", None),
    ],
)
def test_parse(reply: str, move: str | None) -> None:
    assert parse(reply) == move


@pytest.mark.parametrize("move", DIRECTIONS)
def test_a_written_move_is_read(move: str) -> None:
    assert parse(write(move)) == move


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"size": 7}, r"levels for \(size, boxes\) in .*\(8, 5\).*got \(7, 3\)"),
        ({"boxes": 5}, r"got \(6, 5\)"),
        ({"max_turns": 20}, "max_turns must be at least 21"),
        ({"size": 8, "boxes": 4, "max_turns": 23}, "max_turns must be at least 24"),
    ],
)
def test_bad_rules_are_refused_at_construction(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SokobanEnv(**bad)


def test_an_unknown_rule_raises_and_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'boxes'"):
        gym.make("gem/Sokoban-v0", box=4)


@pytest.mark.parametrize(("size", "boxes"), SHORTEST)
def test_a_pack_is_sound(size: int, boxes: int) -> None:
    levels = load_levels(size, boxes)
    assert len(levels) >= 2_000
    moves = [read_moves(level) for level in levels]
    assert moves == sorted(moves)
    assert moves[0] == SHORTEST[size, boxes]
    images: set[str] = set()
    for level in levels:
        text = read_level(size, level)
        count = Counter(text)
        assert {*count} <= {*"#.GBP+"}  # no box is at home
        assert (count["B"], count["G"] + count["+"]) == (boxes, boxes)
        assert count["P"] + count["+"] == 1
        edges = text[:size] + text[-size:] + text[::size] + text[size - 1 :: size]
        assert {*edges} == {"#"}
        images.add(min("".join(turn(text)) for turn in SYMMETRIES[size]))
    assert len(images) == len(levels)


@pytest.mark.parametrize("config", CONFIGS)
def test_the_levels_of_an_id_leave_the_slack(config: Config) -> None:
    levels = load_levels(config.size, config.boxes)
    assert read_moves(levels[-1]) * SLACK <= config.max_turns  # all of the pack is dealt
    assert len({read_moves(level) for level in levels}) >= 8


def test_fewer_turns_leave_out_the_long_levels() -> None:
    config = Config(max_turns=24)
    rng = np.random.default_rng(0)
    dealt = [deal(config, rng).optimum for _ in range(300)]
    assert {*dealt} == {14, 15, 16}


@pytest.mark.parametrize("config", CONFIGS)
def test_the_fewest_moves_are_what_another_search_finds(config: Config) -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        start = now = deal(config, rng)
        plan, turns, total, over = find_plan(start.board), 0, 0.0, False
        assert plan is not None
        while not over:
            now, outcome = play(config, now, plan[now.board][0])
            turns, total, over = turns + 1, total + outcome.reward, outcome.over
            assert outcome.legal
            assert progress(config, now) == pytest.approx(total)
        assert total == 1.0
        assert turns == optimal_turns(config, start) <= config.max_turns / SLACK


def test_a_level_is_dealt_in_all_its_symmetries() -> None:
    level = read_level(6, load_levels(6, 2)[0])
    images = {"".join(turn(level)) for turn in SYMMETRIES[6]}
    assert len(images) == 8
    rows = [level[i : i + 6] for i in range(0, 36, 6)]
    assert {level, "".join(rows[::-1]), "".join(row[::-1] for row in rows)} <= images
    assert "".join(map("".join, zip(*rows, strict=True))) in images
    config = Config(size=6, boxes=2, max_turns=9)
    rng = np.random.default_rng(0)
    dealt = {deal(config, rng).board for _ in range(3_000)}
    levels = sum(read_moves(level) == 6 for level in load_levels(6, 2))
    assert len(dealt) > 2 * levels


def test_legal_moves_are_those_that_are_not_refused() -> None:
    rng = np.random.default_rng(0)
    for seed in range(10):
        now = deal(HARD, np.random.default_rng(seed))
        for _ in range(30):
            legal = {move for move in DIRECTIONS if play(HARD, now, move)[1].legal}
            drawn = {legal_move(HARD, now, rng) for _ in range(24)}
            assert drawn
            assert drawn <= legal
            now = play(HARD, now, min(drawn))[0]
    assert {legal_move(EASY, state(*ROOM), rng) for _ in range(200)} == {*DIRECTIONS}


def test_a_box_pushed_off_its_goal_and_back_pays_nothing() -> None:
    env = SokobanEnv(size=6, boxes=2, max_turns=40)
    env.reset(seed=0)
    env._state = state("....", "PBG.", "....", "..GB")
    around = ["right", "up", "right", "down", "left", "down", "down", "right", "up"]
    rewards = [env.step(write(move))[1] for move in around]  # home, off at "down", home at the end
    assert env._state.board == board("....", "..*.", "..P.", "..GB")
    assert rewards == [0.5, *[0.0] * 8]


MOVES = st.sampled_from(DIRECTIONS).map(write)
ACTIONS = st.one_of(MOVES, st.just("no idea"), st.just("legal"), st.just("best"))


@given(
    actions=st.lists(ACTIONS, min_size=20, max_size=20),
    ends=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=40, deadline=None)
def test_the_return_stays_in_its_documented_range(
    actions: list[str], ends: bool, seed: int
) -> None:
    env = SokobanEnv(size=6, boxes=2, max_turns=20, on_malformed="end" if ends else "continue")
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)

    def reply(action: str) -> str:
        if action == "best":
            assert env._state is not None
            plan = find_plan(env._state.board)
            action = "legal" if plan is None else write(plan[env._state.board][0])
        return env.sample_legal_action(rng) if action == "legal" else action

    for action, _, info in steps_in_range(env, actions, reply):
        assert info["legal"] or action not in ("legal", "best")


def test_the_variants_are_those_of_the_table() -> None:
    assert config_of("gem/Sokoban-v0") == Config(size=6, boxes=3, max_turns=100)
    assert config_of("gem/Sokoban-easy-v0") == EASY
    assert config_of("gem/Sokoban-hard-v0") == HARD
    env = SokobanEnv(random=True)
    assert {(env.reset(seed=seed), env.config)[1] for seed in range(20)} == {*RANDOM_CONFIGS}
