r"""Sokoban: push every box onto a goal, one step a turn.

Reads top to bottom: config, state, rules, wording, env. Only the last part knows gymnasium. A board
is a str of one glyph a cell, row by row; cells are numbered row by row from 0.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import ceil
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.grid import draw_grid
from gem_gymnasium.core.parsing import last_boxed, to_word
from gem_gymnasium.core.rewards import share
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.data import read_text

EVENTS = ("moved", "pushed", "solved", "wall", "blocked")

SLACK = 1.5
"""No level is dealt whose shortest solution, times this, exceeds the turn budget."""

SHORTEST = {(6, 2): 6, (6, 3): 14, (8, 4): 16, (8, 5): 16}
"""The packs of levels, by (size, boxes), and the moves that the shortest level of each needs."""

WALL, FLOOR, GOAL, BOX, BOX_ON_GOAL, PLAYER, PLAYER_ON_GOAL = "#.GB*P+"

LEFT_BY = {PLAYER: FLOOR, PLAYER_ON_GOAL: GOAL, BOX: FLOOR, BOX_ON_GOAL: GOAL}
"""What a cell shows once the player, or the box, has left it."""

DIRECTIONS: tuple[str, ...] = ("up", "down", "left", "right")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Push all boxes of a size x size board (outer wall included) home within max_turns replies.

    There are levels for (size, boxes) of (6, 2), (6, 3), (8, 4) and (8, 5); those dealt can be
    solved in max_turns / 1.5 moves.
    """

    size: int = 6
    boxes: int = 3
    max_turns: int = 100

    def __post_init__(self) -> None:
        if (self.size, self.boxes) not in SHORTEST:
            raise ConfigError(
                f"there are levels for (size, boxes) in {[*SHORTEST]}, "
                f"got ({self.size}, {self.boxes})"
            )
        fewest = ceil(SHORTEST[self.size, self.boxes] * SLACK)
        if self.max_turns < fewest:
            raise ConfigError(
                f"max_turns must be at least {fewest} for size={self.size}, boxes={self.boxes}, "
                f"got {self.max_turns}"
            )


RANDOM_CONFIGS = (
    Config(size=6, boxes=2, max_turns=20),
    Config(size=8, boxes=5, max_turns=50),
)
"""GEM's random variant."""


class State(NamedTuple):
    """The board, its player's cell, the most boxes that were home at once, the level's optimum."""

    board: str
    player: int
    best: int
    optimum: int
    """The fewest moves that solve the level from its start."""


# -- rules ------------------------------------------------------------------------------------


@cache
def load_levels(size: int, boxes: int) -> tuple[str, ...]:
    """Return a pack's levels, shortest first; ``read_level`` reads one.

    They are certified: ``benchmarks/make_sokoban.py`` searched every state of each room.
    """
    return tuple(read_text(f"sokoban/{size}x{size}-{boxes}.txt").splitlines())


def read_moves(level: str) -> int:
    """Return the fewest moves that solve a level of a pack."""
    return int(level[level.index(" ") :])


def read_level(size: int, level: str) -> str:
    """Return the board of a level of a pack, which leaves out the outer wall."""
    span = size - 2
    rows = (level[start : start + span] for start in range(0, span * span, span))
    inside = "".join(f"{WALL}{row}{WALL}" for row in rows)
    return f"{WALL * size}{inside}{WALL * size}"


def build_symmetries(size: int) -> tuple[Callable[[str], tuple[str, ...]], ...]:
    """Return the eight functions that turn and mirror a board (to a tuple of its glyphs)."""
    square = np.arange(size * size).reshape(size, size)
    images = [np.rot90(turned, k) for turned in (square, square.T) for k in range(4)]
    getters: list[Any] = [itemgetter(*image.ravel().tolist()) for image in images]
    return tuple(getters)


SYMMETRIES = {size: build_symmetries(size) for size, _ in SHORTEST}
STEPS: dict[int, dict[str, int]] = {
    size: dict(zip(DIRECTIONS, (-size, size, -1, 1), strict=True)) for size, _ in SHORTEST
}
"""How the number of the player's cell changes in a direction."""


def deal(config: Config, rng: np.random.Generator) -> State:
    """Draw a level that leaves the slack, turned and mirrored at random."""
    size, levels = config.size, load_levels(config.size, config.boxes)
    count = bisect_right(levels, config.max_turns / SLACK, key=read_moves)
    level = levels[int(rng.integers(count))]
    board = "".join(SYMMETRIES[size][int(rng.integers(8))](read_level(size, level)))
    return State(board, find_player(board), 0, read_moves(level))


def find_player(board: str) -> int:
    """Return the player's cell."""
    cell = board.find(PLAYER)
    return cell if cell >= 0 else board.index(PLAYER_ON_GOAL)


def play(config: Config, state: State, move: str) -> tuple[State, Outcome]:
    """Take one step; a solved level's rewards add up to 1."""
    board, player, best, optimum = state
    step = STEPS[config.size][move]
    to = player + step
    met = board[to]
    if met == WALL:
        return state, Outcome("wall", f"You cannot move {move}: a wall.", legal=False)
    cells = list(board)
    cells[player] = LEFT_BY[board[player]]
    if met in (FLOOR, GOAL):
        cells[to] = PLAYER if met == FLOOR else PLAYER_ON_GOAL
        return State("".join(cells), to, best, optimum), Outcome("moved", f"You moved {move}.")
    beyond = board[to + step]
    if beyond not in (FLOOR, GOAL):
        behind = "a wall" if beyond == WALL else "a box"
        feedback = f"You cannot push the box {move}: {behind} is behind it."
        return state, Outcome("blocked", feedback, legal=False)
    cells[to] = PLAYER if met == BOX else PLAYER_ON_GOAL
    cells[to + step] = BOX if beyond == FLOOR else BOX_ON_GOAL
    home, boxes, reward = cells.count(BOX_ON_GOAL), config.boxes, 0.0
    if home > best:
        reward = share(home, boxes) - share(best, boxes)
        best = home
    state = State("".join(cells), to, best, optimum)
    feedback = f"You pushed a box {move}: {home} of {boxes} boxes on goals"
    if home == boxes:
        return state, Outcome("solved", f"{feedback}, you win.", reward, over=True, success=True)
    return state, Outcome("pushed", f"{feedback}.", reward)


def can_move(size: int, board: str, player: int, move: str) -> bool:
    """Say whether a step is legal."""
    step = STEPS[size][move]
    met = board[player + step]
    if met in (BOX, BOX_ON_GOAL):
        met = board[player + 2 * step]
    return met in (FLOOR, GOAL)


def legal_move(config: Config, state: State, rng: np.random.Generator) -> str:
    """Draw a step that is not refused; there is one: the player can go back, or solve the level."""
    board, player = state.board, state.player
    moves = [move for move in DIRECTIONS if can_move(config.size, board, player, move)]
    return moves[int(rng.integers(len(moves)))]


def progress(config: Config, state: State) -> float:
    """Return the greatest share of the boxes that were on goals at once."""
    return state.best / config.boxes


def optimal_turns(config: Config, state: State) -> int:
    """Return the fewest moves that solve the level."""
    return state.optimum


# -- wording ----------------------------------------------------------------------------------


def view(config: Config, state: State) -> str:
    """Return the board: a line of column numbers, then the rows, each after its number."""
    size, board = config.size, state.board
    return draw_grid([board[start : start + size] for start in range(0, size * size, size)])


def form(config: Config) -> str:
    """Return the form of an action."""
    return "give one move as \\boxed{up}, \\boxed{down}, \\boxed{left} or \\boxed{right}."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    return (
        f"Sokoban: push all {config.boxes} boxes onto the {config.boxes} goals within "
        f"{config.max_turns} turns. A move takes you one cell up, down, left or right. Moving into "
        "a box pushes it one cell on, unless a wall or another box is behind it; boxes cannot be "
        "pulled. A move that is not possible costs its turn.\n"
        f"On the board, {WALL} is a wall, {FLOOR} floor, {GOAL} a goal, {BOX} a box, "
        f"{BOX_ON_GOAL} a box on a goal, {PLAYER} you, {PLAYER_ON_GOAL} you on a goal. "
        "Up leads to row 1, left to column 1.\n"
        f"Each turn, {form(config)}"
    )


def parse(reply: str) -> str | None:
    r"""Return the direction in the last ``\boxed{}``, in any letter case, or None."""
    move = to_word(last_boxed(reply))
    return move if move in DIRECTIONS else None


def write(move: str) -> str:
    """Return the reply that makes a move."""
    return f"\\boxed{{{move}}}"


class SokobanEnv(TextEnv[Config, State, str]):
    r"""Push every box onto a goal, one step a turn.

    ## Action Space
    ``UnicodeText``: any reply; the last ``\boxed{}`` holds ``up``, ``down``, ``left`` or ``right``,
    in any letter case.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then what the last move did; the board; the turns left.

    ## Rewards
    ``max(0, home - best) / boxes``, where ``home`` is the number of boxes on goals and ``best`` the
    most that were there before: 1 in total over a solved level, and nothing for a box that is
    pushed off its goal and back. A refused move pays 0, a reply without a direction -0.1. The
    return lies in [-0.1, 1]; with ``on_malformed="continue"`` in [-0.1 * max_turns, 1].

    ## Episode End
    Terminated by the last box, the last turn, or (``on_malformed="end"``) a malformed reply. A
    level that can no longer be solved goes on to the last turn.

    ## Information
    ``event``: ``moved``, ``pushed``, ``solved``; illegal: ``wall``, ``blocked`` (a box that cannot
    be pushed there); ``malformed``. ``progress`` is the greatest share of the boxes that were on
    goals at once, ``optimal_turns`` the fewest moves that solve the level, at most max_turns / 1.5.

    ## Arguments
    ``size``, ``boxes``, ``max_turns``: see :class:`Config`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    The puzzle by Hiroyuki Imabayashi (Thinking Rabbit, 1982), with the sizes of GEM (arXiv
    2510.01051); levels and wording are our own.

    ## Version History
    v0: first release.
    """

    config_type = Config
    state_type = State
    random_configs = RANDOM_CONFIGS
    events = EVENTS

    deal = staticmethod(deal)
    rules = staticmethod(rules)
    form = staticmethod(form)
    view = staticmethod(view)
    parse = staticmethod(parse)
    write = staticmethod(write)
    play = staticmethod(play)
    legal_move = staticmethod(legal_move)
    progress = staticmethod(progress)
    optimal_turns = staticmethod(optimal_turns)
