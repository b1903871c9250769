r"""Sudoku: fill a grid whose solution is unique, one number a turn.

Reads top to bottom: config, state, rules, wording, env. Only the last part knows gymnasium. Cells
are numbered row by row from 0; a 0 on the board is an empty cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed, to_ints
from gem_gymnasium.core.rewards import share
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.core.wording import count_of
from gem_gymnasium.games.sudoku_grid import GRIDS, dig, draw_solution

EVENTS = ("placed", "solved", "wrong", "conflict", "taken", "out_of_bounds")

FEWEST_CLUES = {4: 4, 9: 26}
"""The fewest clues that dealing reaches fast: 4x4 allows 4, a 9x9 dug at random seldom 25."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Fill a size x size grid (4 or 9) that has ``clues`` given cells within max_turns replies."""

    size: int = 9
    clues: int = 30
    max_turns: int = 100

    def __post_init__(self) -> None:
        if self.size not in FEWEST_CLUES:
            raise ConfigError(f"size must be 4 or 9, got {self.size}")
        fewest, cells = FEWEST_CLUES[self.size], self.size**2
        if not fewest <= self.clues < cells:
            raise ConfigError(
                f"clues (the number of given cells) must be in {fewest}..{cells - 1} "
                f"for size {self.size}, got {self.clues}"
            )
        if self.max_turns < cells - self.clues:
            raise ConfigError(
                f"max_turns must be at least the {cells - self.clues} empty cells, "
                f"got {self.max_turns}"
            )


RANDOM_CONFIGS = (
    Config(size=4, clues=7, max_turns=15),
    Config(size=9, clues=33, max_turns=50),
)
"""GEM's random variant: the easy game or the hard one."""

Move = tuple[int, ...]


class State(NamedTuple):
    """The board (0: empty), its solution, the empty cells at the start and those left."""

    board: tuple[int, ...]
    solution: tuple[int, ...]
    empties: int
    left: int


# -- rules ------------------------------------------------------------------------------------


def deal(config: Config, rng: np.random.Generator) -> State:
    """Draw a full grid and dig cells out of it, in random order, down to ``clues`` of them.

    A cell is dug only if its number still follows from the others, so the solution stays unique.
    """
    cells = config.size**2
    while True:
        solution = draw_solution(config.size, rng)
        board = dig(config.size, solution, config.clues, rng.permutation(cells).tolist())
        if board is not None:
            return State(board, solution, cells - config.clues, cells - config.clues)


def play(config: Config, state: State, move: Move) -> tuple[State, Outcome]:
    """Put one number (row, column, number; all from 1); a solved game's rewards add up to 1.

    Any number in an empty cell is a legal try; one that is not the solution's is not placed, and
    the feedback says whether the board shows why. Were visible conflicts illegal, the random legal
    player (score 0 of every calibration) would solve easy grids nearly always.
    """
    size = config.size
    row, column, number = move
    if not (1 <= row <= size and 1 <= column <= size and 1 <= number <= size):
        feedback = f"Row, column and number must be from 1 to {size}."
        return state, Outcome("out_of_bounds", feedback, legal=False)
    board, solution, empties, left = state
    cell = (row - 1) * size + column - 1
    if board[cell]:
        feedback = f"Row {row}, column {column} already holds {board[cell]}."
        return state, Outcome("taken", feedback, legal=False)
    if number in GRIDS[size].peer_values[cell](board):
        feedback = f"{number} already stands in {find_in_groups(size, board, cell, number)}."
        return state, Outcome("conflict", feedback)
    if number != solution[cell]:
        feedback = f"{number} at row {row}, column {column} breaks no rule, but it is wrong."
        return state, Outcome("wrong", feedback)
    placed = empties - left
    reward = share(placed + 1, empties) - share(placed, empties)
    state = State((*board[:cell], number, *board[cell + 1 :]), solution, empties, left - 1)
    if left == 1:
        feedback = f"Placed {number} at row {row}, column {column}: the grid is solved, you win."
        return state, Outcome("solved", feedback, reward, over=True, success=True)
    return state, Outcome("placed", f"Placed {number} at row {row}, column {column}.", reward)


def find_in_groups(size: int, board: Sequence[int], cell: int, number: int) -> str:
    """Name the first of a cell's row, column and box that holds ``number``."""
    row, column, _ = (
        number in itemgetter(*GRIDS[size].groups[group])(board)
        for group in GRIDS[size].groups_of[cell]
    )
    if row:
        return f"row {cell // size + 1}"
    if column:
        return f"column {cell % size + 1}"
    return f"the box of row {cell // size + 1}, column {cell % size + 1}"


def legal_move(config: Config, state: State, rng: np.random.Generator) -> Move:
    """Draw an empty cell and any number for it, uniform over the pairs."""
    empty = [cell for cell, filled in enumerate(state.board) if not filled]
    cell = empty[int(rng.integers(len(empty)))]
    row, column = divmod(cell, config.size)
    return row + 1, column + 1, int(rng.integers(1, config.size, endpoint=True))


def progress(config: Config, state: State) -> float:
    """Return the share of the empty cells that are filled."""
    return 1.0 - state.left / state.empties


def optimal_turns(config: Config, state: State) -> int:
    """Return the number of cells to fill."""
    return state.empties


# -- wording ----------------------------------------------------------------------------------

_CHARACTERS = bytes.maketrans(bytes(range(10)), b".123456789")
_LABEL_BYTES = bytes(range(128))


def lay_out(size: int) -> bytes:
    """Return a board's text with byte ``i`` for cell ``i`` and all other characters plus 128.

    One ``bytes.translate`` then draws a board, three times faster than formatting its cells.
    """
    box = isqrt(size)

    def high(text: str) -> bytes:
        return bytes(128 + code for code in text.encode("ascii"))

    def line(label: str, cells: list[bytes]) -> bytes:
        parts = [high(" ").join(cells[start : start + box]) for start in range(0, size, box)]
        return high(label) + high(" | ").join(parts)

    lines = [line("   ", [high(str(column)) for column in range(1, size + 1)])]
    for row in range(size):
        if row and row % box == 0:
            lines.append(high("   " + "-+-".join(["-" * (2 * box - 1)] * box)))
        lines.append(line(f"{row + 1}: ", [bytes([row * size + i]) for i in range(size)]))
    return high("\n").join(lines)


LAYOUTS = {size: lay_out(size) for size in FEWEST_CLUES}


def view(config: Config, state: State) -> str:
    """Return the board: a line of column numbers, then the rows, each after its number."""
    cells = bytes(state.board).translate(_CHARACTERS)
    table = cells.ljust(128) + _LABEL_BYTES
    return LAYOUTS[config.size].translate(table).decode("ascii")


def form(config: Config) -> str:
    """Return the form of an action."""
    return "give one move as \\boxed{row column number}."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    turns = count_of(config.max_turns, "turn")
    size, box = config.size, isqrt(config.size)
    return (
        f"Sudoku: fill the {size}x{size} grid within {turns} so that every row, "
        f"every column and each of the {size} boxes ({box}x{box} cells) holds the numbers 1 to "
        f"{size} once. Rows count from the top, columns from the left; a dot is an empty cell. "
        "There is one solution; a number it does not have there is not placed.\n"
        f"Each turn, {form(config)}"
    )


def parse(reply: str) -> Move | None:
    r"""Return the three integers in the last ``\boxed{}``, or None."""
    move = to_ints(last_boxed(reply))
    return move if move is not None and len(move) == 3 else None


def write(move: Move) -> str:
    """Return the reply that makes a move."""
    return f"\\boxed{{{' '.join(map(str, move))}}}"


class SudokuEnv(TextEnv[Config, State, Move]):
    r"""Fill a grid whose solution is unique, one number a turn.

    ## Action Space
    ``UnicodeText``: any reply; the last ``\boxed{}`` holds row, column and number, each from 1,
    parted by white space or commas.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then what the last move did; the board; the turns left.

    ## Rewards
    1 / (empty cells at the start) for each cell filled, 1 in total over a solved grid; 0 for any
    other move, -0.1 for a reply that holds no three integers. The return lies in [-0.1, 1]; with
    ``on_malformed="continue"`` in [-0.1 * max_turns, 1].

    ## Episode End
    Terminated by the last cell, the last turn, or (``on_malformed="end"``) a malformed reply.

    ## Information
    ``event``: ``placed``, ``solved``; legal but not placed: ``conflict`` (the number stands in the
    row, column or box), ``wrong`` (it breaks no visible rule, yet is not the solution's); illegal:
    ``taken`` (the cell is not empty), ``out_of_bounds``; ``malformed``. ``progress`` is the share
    of cells filled, ``optimal_turns`` the number of empty cells at the start.

    ## Arguments
    ``size`` (4 or 9), ``clues`` (the number of given cells), ``max_turns``: see :class:`Config`;
    and those of :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    TextArena's game as adapted by GEM (arXiv 2510.01051), where ``clues`` counted attempts to
    remove a cell; generator and wording are our own.

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
