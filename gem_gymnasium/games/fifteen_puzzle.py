r"""FifteenPuzzle: slide the tiles of a square board into order.

Reads top to bottom: config, state, rules, wording, env. Only the last part knows gymnasium. A board
is the tuple of its tiles, row by row, 0 for the gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed, to_word
from gem_gymnasium.core.rewards import share
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.data import read_text
from gem_gymnasium.games.fifteen_puzzle_search import (
    DIRECTIONS,
    HARDEST,
    SOURCES,
    Board,
    boards_within,
    decode,
    exact_table,
    goal_of,
    is_solvable,
    transpose,
)

EVENTS = ("moved", "solved", "blocked")

FEWEST_TURNS = {2: 2, 3: 2, 4: 50}
"""The least budget of a size: of 4x4 boards, the pack's need up to 33 moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Order the tiles of a size x size board (2, 3 or 4) within max_turns replies."""

    size: int = 4
    max_turns: int = 200

    def __post_init__(self) -> None:
        if self.size not in HARDEST:
            raise ConfigError(f"size must be 2, 3 or 4, got {self.size}")
        if self.max_turns < FEWEST_TURNS[self.size]:
            raise ConfigError(
                f"max_turns must be at least {FEWEST_TURNS[self.size]} for size {self.size}, "
                f"got {self.max_turns}"
            )


RANDOM_CONFIGS = (
    Config(size=2, max_turns=10),
    Config(size=3, max_turns=47),
    Config(size=4, max_turns=50),
)
"""GEM's random variant; 47 turns are one and a half times what the farthest 3x3 board needs."""


class State(NamedTuple):
    """The board and its tiles' distance from home, in steps and added up.

    ``start`` is the distance at the start, ``best`` the least so far; ``optimum`` is the length of
    a shortest solution from the start, or -1.
    """

    board: Board
    distance: int
    best: int
    start: int
    optimum: int


# -- rules ------------------------------------------------------------------------------------


def build_homing(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the steps from home (rows plus columns) of each tile, 0 first, in each cell."""
    cells = range(size * size)
    steps = [
        tuple(abs(home // size - cell // size) + abs(home % size - cell % size) for cell in cells)
        for home in cells[:-1]
    ]
    return ((0,) * len(cells), *steps)


HOMING = {size: build_homing(size) for size in HARDEST}
SOURCES_BY_MOVE: dict[int, dict[str, tuple[int, ...]]] = {
    size: dict(zip(DIRECTIONS, zip(*SOURCES[size], strict=True), strict=True)) for size in HARDEST
}
"""By size, direction and gap: the cell of the tile that slides, or -1."""


def deal(config: Config, rng: np.random.Generator) -> State:
    """Draw a board that the budget solves with one and a half times the moves it needs.

    Of 2x2 and 3x3 boards, and of 4x4 boards with 120 turns or more (no board needs over 80 moves),
    uniform over all such boards; with fewer turns a 4x4 board is drawn from the pack.
    """
    size, most = config.size, config.max_turns * 2 // 3
    if size < 4:
        codes = boards_within(size, most)
        code = int(codes[rng.integers(len(codes))])
        return begin(size, decode(size, code), int(exact_table(size).distances[code]))
    if most < HARDEST[size]:
        board, optimum = pack()[int(rng.integers(2 * len(pack()))) // 2]
        mirrored = bool(rng.integers(2))
        return begin(size, transpose(size, board) if mirrored else board, optimum)
    return begin(size, draw(size, rng), -1)


def draw(size: int, rng: np.random.Generator) -> Board:
    """Draw a board, uniform over the solvable ones but the goal."""
    while True:
        board = rng.permutation(size * size).tolist()
        if not is_solvable(size, board):
            one, other = board.index(1), board.index(2)  # pairs each board with a solvable one
            board[one], board[other] = 2, 1
        if (drawn := tuple(board)) != goal_of(size):
            return drawn


@cache
def pack() -> tuple[tuple[Board, int], ...]:
    """Return the bundled 4x4 boards, each with the length of its shortest solution."""
    lines = (line.split() for line in read_text("fifteen_starts.txt").splitlines())
    return tuple((tuple(int(tile, 16) for tile in board), int(moves)) for board, moves in lines)


def begin(size: int, board: Board, optimum: int) -> State:
    """Return the first state of a board."""
    distance = sum(HOMING[size][tile][cell] for cell, tile in enumerate(board))
    return State(board, distance, distance, distance, optimum)


def play(config: Config, state: State, move: str) -> tuple[State, Outcome]:
    """Slide a tile into the gap; a solved game's rewards add up to 1.

    Coming nearer than ever before pays a share: what a move back undoes is not paid again.
    """
    board, distance, best, start, optimum = state
    gap = board.index(0)
    source = SOURCES_BY_MOVE[config.size][move][gap]
    if source < 0:
        return state, Outcome("blocked", f"No tile can slide {move}.", legal=False)
    tile = board[source]
    cells = list(board)
    cells[gap], cells[source] = tile, 0
    homing = HOMING[config.size][tile]
    distance += homing[gap] - homing[source]
    feedback, reward = f"{tile} slid {move}.", 0.0
    if distance < best:
        reward = share(start - distance, start) - share(start - best, start)
        best = distance
    state = State(tuple(cells), distance, best, start, optimum)
    if distance:
        return state, Outcome("moved", feedback, reward)
    feedback = f"{feedback} The tiles are in order: you win."
    return state, Outcome("solved", feedback, reward, over=True, success=True)


def legal_move(config: Config, state: State, rng: np.random.Generator) -> str:
    """Draw a direction in which a tile can slide."""
    sources = SOURCES[config.size][state.board.index(0)]
    moves = [move for move, source in zip(DIRECTIONS, sources, strict=True) if source >= 0]
    return moves[int(rng.integers(len(moves)))]


def progress(config: Config, state: State) -> float:
    """Return the share of the tiles' distance at the start that was made up at best."""
    return 1.0 - state.best / state.start


def optimal_turns(config: Config, state: State) -> int:
    """Return the length of a shortest solution, or -1: unknown for 4x4 boards of large budgets."""
    return state.optimum


# -- wording ----------------------------------------------------------------------------------

_TENS = bytes.maketrans(bytes(range(16)), b"          111111")
_ONES = bytes.maketrans(bytes(range(16)), b"_123456789012345")


def lay_out(size: int) -> tuple[bytes, bytes]:
    """Return a board's text, and what else a table must hold that draws it by ``bytes.translate``.

    Of ``n`` cells, byte ``i`` stands for the tens of cell ``i`` and ``n + i`` for its ones; all
    other characters are plus 128.
    """
    cells = size * size
    cell = "%c%c" if size > 3 else "%.0s%c"
    text = "\n".join([" ".join([cell] * size)] * size)
    high = text.replace(" ", chr(128 + ord(" "))).replace("\n", chr(128 + ord("\n")))
    places = tuple(i for n in range(cells) for i in (n, cells + n))
    return (high % places).encode("latin-1"), bytes(128 - 2 * cells) + bytes(range(128))


LAYOUTS = {size: lay_out(size) for size in HARDEST}


def view(config: Config, state: State) -> str:
    """Return the board, cells aligned to the right; ``_`` is the gap."""
    board = bytes(state.board)
    layout, rest = LAYOUTS[config.size]
    table = board.translate(_TENS) + board.translate(_ONES) + rest
    return layout.translate(table).decode("ascii")


def form(config: Config) -> str:
    """Return the form of an action."""
    return "give one direction (up, down, left or right) as \\boxed{direction}."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    size = config.size
    return (
        f"Sliding puzzle: bring the {size * size - 1} tiles of the {size}x{size} board into order "
        f"within {config.max_turns} turns: row by row from the top, each row from the left, 1 to "
        f"{size * size - 1}, then the gap (_) in the last cell. A move slides a tile that "
        "is next to the gap into it. The direction is the tile's: up slides the tile below the "
        "gap, down the one above it, left the one to its right, right the one to its left. Where "
        "there is no such tile, the move costs its turn.\n"
        f"Each turn, {form(config)}"
    )


def parse(reply: str) -> str | None:
    r"""Return the direction in the last ``\boxed{}``, in any letter case, or None."""
    inside = last_boxed(reply)
    word = inside if inside in DIRECTIONS else to_word(inside)
    return word if word in DIRECTIONS else None


def write(move: str) -> str:
    """Return the reply that makes a move."""
    return f"\\boxed{{{move}}}"


class FifteenPuzzleEnv(TextEnv[Config, State, str]):
    r"""Slide the tiles of a square board into order.

    ## Action Space
    ``UnicodeText``: any reply; the last ``\boxed{}`` holds up, down, left or right, in any letter
    case: the direction in which a tile slides into the gap.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then what the last move did; the board; the turns left.

    ## Rewards
    The tiles' distance is the sum of their steps from home. A move that makes it smaller than ever
    before pays the difference over the distance at the start: 1 in total over a solved game. 0 for
    any other move, -0.1 for a reply without a direction. The return lies in [-0.1, 1]; with
    ``on_malformed="continue"`` in [-0.1 * max_turns, 1].

    ## Episode End
    Terminated by the order, the last turn, or (``on_malformed="end"``) a malformed reply.

    ## Information
    ``event``: ``moved``, ``solved``; illegal: ``blocked`` (no tile can slide that way);
    ``malformed``. ``progress`` is the share of the distance made up at best. ``optimal_turns`` is
    the length of a shortest solution; -1 for 4x4 boards of 120 turns or more.

    ## Arguments
    ``size`` (2, 3 or 4), ``max_turns``: see :class:`Config`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`. A start needs at most ``max_turns / 1.5`` moves:
    uniform over all such boards, but with under 120 turns a 4x4 board comes, or its mirror image,
    from a bundled uniform sample of 4,000 boards that need at most 33.

    ## References
    Noyes Chapman's puzzle (1880) as adapted by GEM (arXiv 2510.01051); the wording is our own.

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
