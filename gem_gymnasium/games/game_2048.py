r"""2048: slide the tiles of a board, and merge equal ones, until a target tile is made.

Reads top to bottom: config, state, rules, wording, env. Only the last part knows gymnasium. A board
is a str, a character a cell, row by row: the exponent of its tile (1: a 2, 2: a 4, ... b: a 2048),
or 0. Slices of it are lines, which are slid by look-up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed, to_word
from gem_gymnasium.core.rewards import share
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.core.wording import count_of

EVENTS = ("moved", "reached", "stuck", "blocked")

DIRECTIONS = ("up", "down", "left", "right")

FOURS = 10  # one new tile in ten is a 4, the others are 2s

MIN_SIZE, MAX_SIZE = 2, 5

DIGITS = "0123456789abcdefghijklmnopqr"
"""The cells of a board: the exponents of its tiles."""

LINES = {
    size: (
        [slice(cell, cell + size) for cell in range(0, size * size, size)],
        [slice(column, None, size) for column in range(size)],
    )
    for size in range(MIN_SIZE, MAX_SIZE + 1)
}
"""The rows and the columns of a board of each size, as slices of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Make the tile ``target`` on a size x size board within max_turns replies."""

    target: int = 2048
    size: int = 4
    max_turns: int = 1_500

    def __post_init__(self) -> None:
        if not MIN_SIZE <= self.size <= MAX_SIZE:
            raise ConfigError(f"size must be in {MIN_SIZE}..{MAX_SIZE}, got {self.size}")
        largest = 2 ** (self.size**2 + 1)  # the last two cells may merge a new 4
        if self.target.bit_count() != 1 or not 8 <= self.target <= largest:
            raise ConfigError(
                f"target must be a power of 2 in 8..{largest} for size {self.size}, "
                f"got {self.target}"
            )
        if self.max_turns < fewest_turns(self.target):
            raise ConfigError(
                f"max_turns must be at least {fewest_turns(self.target)}, since {self.target} "
                f"cannot be made faster with any luck; got {self.max_turns}"
            )


def fewest_turns(target: int) -> int:
    """Return the turns in which ``target`` is made with all the luck there is.

    It takes target / 4 tiles if all are 4s: two lie there at the start, each turn brings one. The
    last of them then has to merge on the way up from 4, once a turn.
    """
    return target // 4 - 2 + target.bit_length() - 3


RANDOM_CONFIGS = (
    Config(target=16, max_turns=20),
    Config(target=32, max_turns=30),
    Config(target=64, max_turns=50),
)
"""GEM's random variant."""


class State(NamedTuple):
    """The board, its largest tile at the start and the largest that a move has left."""

    board: str
    start: int
    best: int


# -- rules ------------------------------------------------------------------------------------


def deal(config: Config, rng: np.random.Generator) -> State:
    """Put two tiles on an empty board."""
    board = "0" * config.size**2
    for _ in range(2):
        board, _ = add_tile(board, rng)
    top = DIGITS.index(max(board))
    return State(board, top, top)


def add_tile(board: str, rng: np.random.Generator) -> tuple[str, int]:
    """Put a new tile on an empty cell, uniform over them; return the board and the cell."""
    empty = [cell for cell, tile in enumerate(board) if tile == "0"]
    which, kind = divmod(int(rng.random() * len(empty) * FOURS), FOURS)
    cell = empty[which]
    return f"{board[:cell]}{'1' if kind else '2'}{board[cell + 1 :]}", cell


@lru_cache(maxsize=1 << 16)
def slide_line(line: str) -> str:
    """Slide a line's tiles to its start; each pair of equal neighbours merges, once a move."""
    tiles: list[str] = []
    mergeable = ""  # the last tile, unless it was just merged
    for tile in line:
        if tile == mergeable:
            tiles[-1] = DIGITS[DIGITS.index(tile) + 1]
            mergeable = ""
        elif tile != "0":
            tiles.append(tile)
            mergeable = tile
    return "".join(tiles).ljust(len(line), "0")


@lru_cache(maxsize=1 << 16)
def slide_back(line: str) -> str:
    """Slide a line's tiles to its end."""
    return slide_line(line[::-1])[::-1]


def slide(size: int, board: str, direction: str) -> str:
    """Return the board after its tiles slid; the same one if none can move."""
    slide_one = slide_line if direction in ("left", "up") else slide_back
    rows, columns = LINES[size]
    if direction in ("left", "right"):
        return "".join(map(slide_one, map(board.__getitem__, rows)))
    slid = "".join(map(slide_one, map(board.__getitem__, columns)))
    return "".join(map(slid.__getitem__, columns))


def can_move(size: int, board: str) -> bool:
    """Return whether any direction changes a board that has tiles."""
    return "0" in board or any(slide(size, board, move) != board for move in ("left", "up"))


def play(config: Config, state: State, move: str) -> tuple[State, Outcome]:
    """Slide the tiles; a game in which the target is made pays 1 in total.

    A new largest tile pays its share of the doublings from the start to the target.
    """
    board, start, best = state
    slid = slide(config.size, board, move)
    if slid == board:
        return state, Outcome("blocked", f"No tile can move {move}.", legal=False)
    if DIGITS[best + 1] not in slid:
        return State(slid, start, best), Outcome("moved", f"Moved {move}.")
    top = best + 1  # a move never skips a tile: it merges but once, and so does a new 4
    whole = config.target.bit_length() - 1 - start
    reward = share(top - start, whole) - share(best - start, whole)
    state = State(slid, start, top)
    if 1 << top >= config.target:
        feedback = f"Moved {move} and made {1 << top}: you win."
        return state, Outcome("reached", feedback, reward, over=True, success=True)
    return state, Outcome("moved", f"Moved {move}: the largest tile is {1 << top}.", reward)


def chance(
    config: Config, state: State, outcome: Outcome, rng: np.random.Generator
) -> tuple[State, Outcome]:
    """Add a tile after a move; the game is lost if no move is left then."""
    board, cell = add_tile(state.board, rng)
    row, column = divmod(cell, config.size)
    number = 2 if board[cell] == "1" else 4
    feedback = f"{outcome.feedback} New tile: {number} at row {row + 1}, column {column + 1}."
    state = State(board, state.start, state.best)
    if "0" in board or can_move(config.size, board):
        return state, Outcome(outcome.event, feedback, outcome.reward)
    feedback = f"{feedback}\nNo move is left: the game is lost."
    return state, Outcome("stuck", feedback, outcome.reward, over=True)


def legal_move(config: Config, state: State, rng: np.random.Generator) -> str:
    """Draw a direction that changes the board; there is one while the game runs."""
    board = state.board
    moves = [move for move in DIRECTIONS if slide(config.size, board, move) != board]
    return moves[int(rng.integers(len(moves)))]


def progress(config: Config, state: State) -> float:
    """Return the share of the doublings from the start's largest tile to the target."""
    return (state.best - state.start) / (config.target.bit_length() - 1 - state.start)


# -- wording ----------------------------------------------------------------------------------


@cache
def line_writer(width: int) -> Callable[[str], str]:
    """Return what writes a row of the board, each cell ``width`` characters wide."""

    @lru_cache(maxsize=1 << 16)
    def write_line(line: str) -> str:
        numbers = [1 << DIGITS.index(tile) if tile != "0" else "." for tile in line]
        return " ".join([f"{number:>{width}}" for number in numbers])

    return write_line


def view(config: Config, state: State) -> str:
    """Return the board, cells aligned to the right; a dot is an empty cell."""
    rows, _ = LINES[config.size]
    write_line = line_writer(len(str(config.target)))
    return "\n".join(map(write_line, map(state.board.__getitem__, rows)))


def form(config: Config) -> str:
    """Return the form of an action."""
    return "give one direction (up, down, left or right) as \\boxed{direction}."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    turns = count_of(config.max_turns, "turn")
    return (
        f"2048: make the tile {config.target} on the {config.size}x{config.size} board within "
        f"{turns}. A move slides all tiles as far as they go in one direction; "
        "two equal tiles that meet merge into one of twice the number, each tile at most once a "
        "move (of three in a row, the two farthest in that direction merge). After each move a "
        "new tile comes up on a random empty cell: a 2, or one time in ten a 4. A direction in "
        "which no tile can move costs its turn. The game is lost when no move is left. A dot is "
        f"an empty cell.\nEach turn, {form(config)}"
    )


def parse(reply: str) -> str | None:
    r"""Return the direction in the last ``\boxed{}``, in any letter case, or None."""
    inside = last_boxed(reply)
    word = inside if inside in DIRECTIONS else to_word(inside)
    return word if word in DIRECTIONS else None


def write(move: str) -> str:
    """Return the reply that makes a move."""
    return f"\\boxed{{{move}}}"


class Game2048Env(TextEnv[Config, State, str]):
    r"""Slide the tiles of a board, and merge equal ones, until a target tile is made.

    ## Action Space
    ``UnicodeText``: any reply; the last ``\boxed{}`` holds up, down, left or right, in any letter
    case.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then what the last move did and where the new tile is; the
    board; the turns left.

    ## Rewards
    A move that leaves a larger tile than any before pays (doublings gained) / (doublings from the
    start's largest tile to the target): 1 in total when the target is made; 0 for any other move,
    -0.1 for a reply without a direction. The return lies in [-0.1, 1]; with
    ``on_malformed="continue"`` in [-0.1 * max_turns, 1].

    ## Episode End
    Terminated by the target, a board without a move, the last turn, or (``on_malformed="end"``) a
    malformed reply.

    ## Information
    ``event``: ``moved``, ``reached`` (the target), ``stuck`` (no move is left); illegal:
    ``blocked`` (no tile can move that way); ``malformed``. ``progress`` is the share of the
    doublings made so far. ``optimal_turns`` is -1: it depends on luck.

    ## Arguments
    ``target`` (a power of 2), ``size``, ``max_turns``: see :class:`Config`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`. A budget in which the target cannot be made
    whatever the luck is refused.

    ## References
    Gabriele Cirulli's game (2014) as adapted by GEM (arXiv 2510.01051); the wording is our own.

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
    chance = staticmethod(chance)
    legal_move = staticmethod(legal_move)
    progress = staticmethod(progress)
