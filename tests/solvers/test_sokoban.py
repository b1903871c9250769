"""The Sokoban search, beside the exhaustive one that made the levels."""

import importlib.util
from pathlib import Path
from types import ModuleType

import gymnasium as gym
import numpy as np
import pytest

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.games.sokoban import BOX, BOX_ON_GOAL, find_player
from gem_gymnasium.solvers import solver_for
from gem_gymnasium.solvers.sokoban import SokobanSolver, read_board
from gem_gymnasium.solvers.sokoban_search import LOST, Level, cells_of, find_plan, search

FILE = Path(__file__).parents[2] / "benchmarks" / "make_sokoban.py"


def board(*rows: str) -> str:
    return "".join(("######", *(f"#{row}#" for row in rows), "######"))


def solve(text: str) -> int | None:
    """Return the moves of the solution that is found."""
    level = Level(text)
    pushes = search(level, cells_of(text, BOX + BOX_ON_GOAL), find_player(text))
    if pushes is None:
        return None
    moves, player = 0, find_player(text)
    for push in pushes:
        fronts = list(level.walk(level.floor & ~push.boxes, player))
        moves += 1 + next(i for i, front in enumerate(fronts) if front >> push.at & 1)
        player = push.at + push.step
    return moves


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_sokoban", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["6x6-2", "6x6-3", "8x8-4"])
def test_any_state_of_a_room_is_solved_as_shortly_as_by_exhaustive_search(
    maker: ModuleType, name: str
) -> None:
    rng = np.random.default_rng(1)
    pack, unsolvable = maker.PACKS[name], 0
    span = pack.size - 2
    for _ in range(6):
        floor = maker.carve(span, pack.cells[0] + 3, rng)
        goals = tuple(rng.permutation(len(floor))[: pack.boxes].tolist())
        room = maker.Room(span, floor, goals)
        room.search(10_000)
        for _ in range(12):
            mask = int(room.masks[rng.integers(len(room.masks))])
            player = int(rng.choice([p for p in range(room.n) if not mask >> p & 1]))
            moves = room.left(mask, player)
            boxes = tuple(i for i in range(room.n) if mask >> i & 1)
            cells = list(room.draw(maker.Start((), player, 0, 0, 0)))
            for box in boxes:
                cells[floor[box]] = "*" if box in goals else "B"
            rows = ("".join(cells[i : i + span]) for i in range(0, span * span, span))
            wall = "#" * pack.size
            text = wall + "".join(f"#{row}#" for row in rows) + wall
            assert solve(text) == (None if moves < 0 else moves), text
            unsolvable += moves < 0
    assert unsolvable >= 3


def test_the_maker_gives_the_same_levels_again_and_no_two_alike(maker: ModuleType) -> None:
    pack = maker.PACKS["6x6-2"]
    lines = maker.make(pack, 12, 3)
    assert lines == maker.make(pack, 12, 3) != maker.make(pack, 12, 4)
    assert len({*lines}) == 12
    for line in lines:
        level, _, moves = line.partition(" ")
        rows = [level[i : i + 4] for i in range(0, 16, 4)]
        assert solve(board(*rows)) == int(moves)
        assert pack.moves[0] <= int(moves) <= pack.moves[1]
        mirrored = "".join(row[::-1] for row in rows)
        assert maker.canonical(mirrored, 4) == maker.canonical(level, 4) == level


@pytest.mark.parametrize(
    "rows",
    [
        ("B..G", "....", ".P..", "...."),  # a corner
        (".B..", "....", ".P..", "G..."),  # an edge without a goal
        ("....", ".BB.", ".BB.", "P.GG"),  # a square of boxes
        ("G#P.", "##B.", "....", "...."),  # a goal that no box reaches
    ],
)
def test_a_level_that_cannot_be_solved_is_found_lost(rows: tuple[str, ...]) -> None:
    text = board(*rows)
    text = text.replace("G", ".", max(0, text.count("G") - text.count("B")))
    assert find_plan(text) is None
    solver = SokobanSolver()
    lines = [text[i : i + 6] for i in range(0, 36, 6)]
    shown = "\n".join(f"{i + 1}: {' '.join(line)}" for i, line in enumerate(lines))
    assert solver.act(shown, {}) in {rf"\boxed{{{way}}}" for way in ("up", "down", "left", "right")}


def test_the_bound_is_the_cheapest_matching() -> None:
    level = Level(board("....", ".B.G", ".B.G", "P..."))
    one = cells_of(board("....", ".B..", ".B..", "P..."), "B")
    assert level.bound(one) == 4
    crossed = cells_of(board(".B..", "....", "....", ".B.."), "B")
    assert level.bound(crossed) >= LOST  # along the outer wall no goal is reached


def test_a_walk_of_several_ways_leaves_the_choice() -> None:
    plan = find_plan(board("P...", "..BG", "....", "...."))
    assert plan is not None
    start = board("P...", "..BG", "....", "....")
    assert sorted(plan[start]) == ["down", "right"]
    assert plan[board("....", ".PBG", "....", "....")] == ("right",)


def test_the_last_board_of_a_text_counts() -> None:
    env = gym.make("gem/Sokoban-v0")
    first, _ = env.reset(seed=0)
    solver = solver_for(env)
    solver.reset(first, {})
    second = env.step(solver.act(first, {}))[0]
    assert read_board(first) != read_board(second)
    assert read_board(f"{first}\n{second}") == read_board(second)
    assert read_board("2: # # #\n3: # P #") is None


def test_a_board_that_left_the_plan_is_solved_anew() -> None:
    env, won = gym.make("gem/Sokoban-v0"), 0
    for seed in range(12):
        observation, _ = env.reset(seed=seed)
        solver, rng = solver_for(env), np.random.default_rng(seed)
        solver.reset(observation, {})
        for _ in range(3):
            observation = env.step(env.unwrapped.sample_legal_action(rng))[0]
        if find_plan(read_board(observation) or "") is None:
            continue  # the random moves lost the level
        info, done = {}, False
        while not done:
            observation, _, done, _, info = env.step(solver.act(observation, {}))
        assert info["success"]
        won += 1
    assert won >= 3


def test_a_text_of_another_game_is_refused() -> None:
    with pytest.raises(ConfigError, match="no Sokoban board in 'Chess"):
        SokobanSolver().reset("Chess: mate the king.", {})
