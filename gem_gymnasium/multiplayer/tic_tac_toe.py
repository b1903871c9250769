r"""Tic-tac-toe: three in a row on a 3x3 board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gem_gymnasium.multiplayer.game import Outcome, to_all, to_each, zero_sum
from gem_gymnasium.multiplayer.replies import boxed, boxed_int
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import parallel

MARKS = ("X", "O")
LINES = (
    *((row, row + 1, row + 2) for row in (0, 3, 6)),
    *((column, column + 3, column + 6) for column in range(3)),
    (0, 4, 8),
    (2, 4, 6),
)
EVENTS = ("moved", "won", "draw", "taken", "outside")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Nine moves fill the board, so nothing can be set but for what the rules need."""

    max_turns: int = 9


class State(NamedTuple):
    """The seat in each cell, -1 for none; cells 1 to 9 are numbered row by row."""

    cells: tuple[int, ...]


def deal(config: Config, rng: np.random.Generator) -> State:
    """Return the empty board; there is no chance in it."""
    return State((-1,) * 9)


def to_move(config: Config, state: State) -> int:
    """Return the seat with the fewer marks."""
    return (9 - state.cells.count(-1)) % 2


def winner(cells: Sequence[int]) -> int | None:
    """Return the seat that has three in a row."""
    for a, b, c in LINES:
        if cells[a] == cells[b] == cells[c] != -1:
            return cells[a]
    return None


def play(config: Config, state: State, cell: int) -> tuple[State, Outcome]:
    """Put a mark into a cell (1 to 9)."""
    seat = to_move(config, state)
    if not 1 <= cell <= 9:
        told = to_each(seat, f"There is no cell {cell}: cells are 1 to 9.", "")
        return state, Outcome("outside", told, legal=False)
    if state.cells[cell - 1] != -1:
        return state, Outcome("taken", to_each(seat, f"Cell {cell} is taken.", ""), legal=False)
    cells = (*state.cells[: cell - 1], seat, *state.cells[cell:])
    said = f"{MARKS[seat]} takes cell {cell}."
    if winner(cells) is not None:
        told = to_each(
            seat, f"{said}\nThree in a row: you win.", f"{said}\nThree in a row: you lose."
        )
        return State(cells), Outcome("won", told, zero_sum(seat), over=True, winners=(seat,))
    if -1 not in cells:
        told = to_all(f"{said}\nThe board is full: a draw.")
        return State(cells), Outcome("draw", told, zero_sum(None), over=True)
    return State(cells), Outcome("moved", to_all(said))


def legal_moves(config: Config, state: State) -> list[int]:
    """Return the free cells."""
    return [number for number, seat in enumerate(state.cells, 1) if seat == -1]


# -- wording ----------------------------------------------------------------------------------


def rules(config: Config, seat: int) -> str:
    """Return the text that opens the episode."""
    order = "move first" if seat == 0 else "move second"
    return (
        f"Tic-tac-toe: two players put marks into the cells of a 3x3 board in turn; three of a "
        f"player's marks in a row, column or diagonal win. You are {MARKS[seat]} and {order}."
    )


def form(config: Config, state: State, seat: int) -> str:
    """Return the form of an action."""
    return "give the number of a free cell as \\boxed{cell}."


def view(config: Config, state: State, seat: int) -> str:
    """Return the board; a free cell shows its number."""
    marks = [
        str(number) if owner == -1 else MARKS[owner] for number, owner in enumerate(state.cells, 1)
    ]
    return "\n".join(" ".join(marks[row : row + 3]) for row in (0, 3, 6))


class TicTacToeEnv(TextAEC[Config, State, int]):
    r"""Three in a row on a 3x3 board, two players.

    ## Action Space
    ``UnicodeText``: any reply; the integer in its last ``\boxed{}`` is the cell, 1 to 9 row by row.

    ## Observation Space
    ``Dict(text=UnicodeText)``: the rules until the player has moved, what happened, the board.

    ## Rewards
    1 for a win, -1 for a loss, 0 for a draw; they add up to 0.

    ## Episode End
    Terminated by three in a row, a full board, or a reply that used a player's last try.

    ## Information
    ``event``: ``moved``, ``won``, ``draw``, ``taken``, ``outside``; see
    :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## Arguments
    Those of :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## References
    The classic game; the wording is our own.

    ## Version History
    v0: first release.
    """

    name = "tic_tac_toe"
    config_type = Config
    state_type = State
    events = EVENTS

    deal = staticmethod(deal)
    to_move = staticmethod(to_move)
    rules = staticmethod(rules)
    form = staticmethod(form)
    view = staticmethod(view)
    parse = staticmethod(boxed_int)
    write = staticmethod(boxed)
    play = staticmethod(play)
    legal_moves = staticmethod(legal_moves)


env = raw_env = TicTacToeEnv
parallel_env = parallel(TicTacToeEnv)
