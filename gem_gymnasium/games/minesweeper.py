r"""Minesweeper: reveal every cell that holds no mine, told by numbers how many lie around.

Reads top to bottom: config, state, rules, wording, env. Only the last part knows gymnasium. Cells
are numbered row by row from 0 and held as a str with a character each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed, to_int
from gem_gymnasium.core.rewards import share
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.core.wording import count_of
from gem_gymnasium.games.minesweeper_grid import (
    FLAG,
    HIDDEN,
    MINE,
    draw_board,
    draw_field,
    neighbours,
    uncover,
)
from gem_gymnasium.games.minesweeper_logic import needs_no_guess

EVENTS = (
    "revealed", "solved", "mine", "flagged", "unflagged",
    "already_revealed", "flag_in_the_way", "out_of_bounds",
)  # fmt: skip

VERBS = ("reveal", "flag")

MIN_SIDE, MAX_SIDE = 4, 30

LOGICAL_SIDES, LOGICAL_SPACING = (5, 10), (5, 8)
"""Sides, and numbers of cells for each mine, at which boards without a guess are found fast."""

MIN_LOGICAL_LEFT = 4
"""Of the safe cells of such a board, at least one in this many is hidden at the start."""

MAX_MOVE_CHARS = 60
"""Characters of the longest move read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Clear a grid of ``rows`` x ``columns`` cells with ``mines`` mines within max_turns replies.

    ``logical``: deal a board that can be solved without a guess, with an opening revealed.
    Otherwise the first reveal is safe and opens its surroundings.
    """

    rows: int = 8
    columns: int = 8
    mines: int = 10
    max_turns: int = 64
    logical: bool = False

    def __post_init__(self) -> None:
        for name, side in (("rows", self.rows), ("columns", self.columns)):
            if not MIN_SIDE <= side <= MAX_SIDE:
                raise ConfigError(f"{name} must be in {MIN_SIDE}..{MAX_SIDE}, got {side}")
        cells = self.rows * self.columns
        if not 1 <= self.mines <= cells - 10:  # nine cells around the first one, and one to find
            raise ConfigError(f"mines must be in 1..{cells - 10}, got {self.mines}")
        if self.max_turns < cells - self.mines:
            raise ConfigError(
                f"max_turns must be at least the {cells - self.mines} cells without a mine, "
                f"got {self.max_turns}"
            )
        if not self.logical:
            return
        (low, high), (close, apart) = LOGICAL_SIDES, LOGICAL_SPACING
        size = f"{self.rows}x{self.columns}"
        if not low <= min(self.rows, self.columns) <= max(self.rows, self.columns) <= high:
            raise ConfigError(f"logical boards have sides of {low} to {high} cells, got {size}")
        fewest, most = cells // apart, cells // close
        if not fewest <= self.mines <= most:
            raise ConfigError(
                f"logical boards of {size} cells have {fewest} to {most} mines, got {self.mines}"
            )


RANDOM_CONFIGS = tuple(
    Config(rows=n, columns=n, mines=n * n // 5, max_turns=n * n) for n in range(5, 9)
)
"""GEM's random variant."""

Move = tuple[str, int, int]


class State(NamedTuple):
    """What lies where (empty before the first reveal), what is seen, and how much is left."""

    field: str
    board: str
    order: tuple[int, ...]
    """The cells in the order in which they get mines at the first reveal; empty after it."""
    safe: int
    """Hidden cells without a mine at the start."""
    left: int
    """Those of them that are still hidden."""


# -- rules ------------------------------------------------------------------------------------


def deal(config: Config, rng: np.random.Generator) -> State:
    """Draw an order of the cells for the mines to come or, if ``logical``, the mines.

    Mines are placed at the first reveal, but from what was drawn here: the state alone says what
    any moves lead to. A logical board makes the first reveal itself, of any cell, and is drawn
    anew until logic alone solves the rest.
    """
    rows, columns, mines = config.rows, config.columns, config.mines
    cells, safe = rows * columns, rows * columns - mines
    while True:
        order = tuple(rng.permutation(cells).tolist())
        if not config.logical:
            return State("", HIDDEN * cells, order, safe, safe)
        first = int(rng.integers(cells))
        field = place_mines(config, order, first)
        board, opened = uncover(rows, columns, field, HIDDEN * cells, first)
        left = safe - opened
        if left * MIN_LOGICAL_LEFT >= safe and needs_no_guess(rows, columns, field, board):
            return State(field, board, (), left, left)


def play(config: Config, state: State, move: Move) -> tuple[State, Outcome]:
    """Reveal or flag one cell (verb, row, column; both from 1); a solved game's pay is 1."""
    verb, row, column = move
    rows, columns = config.rows, config.columns
    if not (1 <= row <= rows and 1 <= column <= columns):
        feedback = f"The row must be from 1 to {rows}, the column from 1 to {columns}."
        return state, Outcome("out_of_bounds", feedback, legal=False)
    cell = (row - 1) * columns + column - 1
    field, board, order, safe, left = state
    seen = board[cell]
    if seen != HIDDEN and seen != FLAG:
        feedback = f"Row {row}, column {column} is already revealed."
        return state, Outcome("already_revealed", feedback, legal=False)
    if verb == "flag":
        mark, event = (FLAG, "flagged") if seen == HIDDEN else (HIDDEN, "unflagged")
        board = f"{board[:cell]}{mark}{board[cell + 1 :]}"
        feedback = f"Row {row}, column {column} is {event}."
        return State(field, board, order, safe, left), Outcome(event, feedback)
    if seen == FLAG:
        feedback = f"Row {row}, column {column} is flagged: remove the flag before you reveal it."
        return state, Outcome("flag_in_the_way", feedback, legal=False)
    if not field:
        field, order = place_mines(config, order, cell), ()
    if field[cell] == MINE:
        board = f"{board[:cell]}{MINE}{board[cell + 1 :]}"
        feedback = f"Row {row}, column {column} holds a mine: the game is lost."
        return State(field, board, order, safe, left), Outcome("mine", feedback, over=True)
    board, count = uncover(rows, columns, field, board, cell)
    done, left = safe - left, left - count
    reward = share(done + count, safe) - share(done, safe)
    feedback = f"Row {row}, column {column} holds {field[cell]}"
    if count > 1:
        feedback = f"{feedback}: {count} cells revealed"
    state = State(field, board, order, safe, left)
    if not left:
        feedback = f"{feedback}. Every cell without a mine is revealed, you win."
        return state, Outcome("solved", feedback, reward, over=True, success=True)
    return state, Outcome("revealed", f"{feedback}.", reward)


def place_mines(config: Config, order: tuple[int, ...], first: int) -> str:
    """Return the field whose mines are the first of ``order`` that do not touch ``first``."""
    free = {first, *neighbours(config.rows, config.columns)[first]}
    mines = islice((cell for cell in order if cell not in free), config.mines)
    return draw_field(config.rows, config.columns, [*mines])


def legal_move(config: Config, state: State, rng: np.random.Generator) -> Move:
    """Draw a cell to reveal or to flag, uniform over the legal moves."""
    hidden = [cell for cell, seen in enumerate(state.board) if seen == HIDDEN]
    unrevealed = [cell for cell, seen in enumerate(state.board) if seen in (HIDDEN, FLAG)]
    moves = [("reveal", cell) for cell in hidden] + [("flag", cell) for cell in unrevealed]
    verb, cell = moves[int(rng.integers(len(moves)))]
    row, column = divmod(cell, config.columns)
    return verb, row + 1, column + 1


def progress(config: Config, state: State) -> float:
    """Return the revealed share of the safe cells that were hidden at the start."""
    return 1.0 - state.left / state.safe


# -- wording ----------------------------------------------------------------------------------


def view(config: Config, state: State) -> str:
    """Return the board: a line of column numbers, then the rows, each after its number."""
    return draw_board(config.rows, config.columns, state.board)


def form(config: Config) -> str:
    """Return the form of an action."""
    return "give one move as \\boxed{reveal row column} or \\boxed{flag row column}."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    turns = count_of(config.max_turns, "turn")
    mines = "1 mine is" if config.mines == 1 else f"{config.mines} mines are"
    start = (
        "Some cells are revealed already, and the board can be solved without guessing."
        if config.logical
        else "No mine is at or beside the first cell you reveal."
    )
    return (
        f"Minesweeper: {mines} hidden in a grid of {config.rows} rows and "
        f"{config.columns} columns. Reveal every cell that holds no mine within "
        f"{turns}; a revealed mine loses the game. A revealed cell shows how many "
        "of the up to eight cells around it hold mines; if none does, those are revealed too. "
        f"{start} Rows count from the top, columns from the left; a dot is a hidden cell, F a "
        "flagged one. A flag only marks a cell: it takes a turn, keeps the cell from being "
        "revealed, and is removed by flagging the cell again.\n"
        f"Each turn, {form(config)}"
    )


def parse(reply: str) -> Move | None:
    r"""Return the verb and the two integers in the last ``\boxed{}``, or None."""
    inside = last_boxed(reply)
    return None if inside is None or len(inside) > MAX_MOVE_CHARS else read_move(inside)


@lru_cache(maxsize=4_096)  # the moves of a game are few, and come again and again
def read_move(text: str) -> Move | None:
    """Return the verb and the two integers of a text, parted by white space or commas, or None."""
    parts = text.replace(",", " ").split()
    if len(parts) != 3 or (verb := parts[0].lower()) not in VERBS:
        return None
    row, column = to_int(parts[1]), to_int(parts[2])
    return None if row is None or column is None else (verb, row, column)


def write(move: Move) -> str:
    """Return the reply that makes a move."""
    return f"\\boxed{{{move[0]} {move[1]} {move[2]}}}"


class MinesweeperEnv(TextEnv[Config, State, Move]):
    r"""Reveal every cell that holds no mine, told by numbers how many lie around.

    ## Action Space
    ``UnicodeText``: any reply; the last ``\boxed{}`` holds ``reveal`` or ``flag`` (any case), a row
    and a column, each from 1, parted by white space or commas.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then what the last move did; the board; the turns left.

    ## Rewards
    For each reveal the share it uncovers of the safe cells that were hidden at the start (those
    revealed at reset pay nothing): 1 in total over a solved board. Any other move pays 0, a reply
    without a move -0.1. The return lies in [-0.1, 1]; with ``on_malformed="continue"`` in
    [-0.1 * max_turns, 1].

    ## Episode End
    Terminated by the last safe cell, a revealed mine, the last turn, or (``on_malformed="end"``) a
    malformed reply. Flags are not needed to win.

    ## Information
    ``event``: ``revealed``, ``solved``, ``mine``, ``flagged``, ``unflagged``; refused:
    ``already_revealed``, ``flag_in_the_way`` (of a reveal), ``out_of_bounds``; ``malformed``.
    ``progress`` is the share of the safe cells that are revealed. ``optimal_turns`` is -1: what an
    optimal player needs is not known.

    ## Arguments
    ``rows``, ``columns``, ``mines``, ``max_turns``, ``logical`` (boards that need no guess): see
    :class:`Config`; and those of :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    The computer game as adapted by TextArena and GEM (arXiv 2510.01051), where a win also took a
    flag on every mine; boards and wording are our own.

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
