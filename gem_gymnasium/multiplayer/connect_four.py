r"""Connect Four: pieces fall into columns; four in a row win."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.multiplayer.game import Outcome, to_all, to_each, zero_sum
from gem_gymnasium.multiplayer.replies import boxed, boxed_int
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import parallel

MARKS = ("X", "O")
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
EVENTS = ("moved", "won", "draw", "full", "outside")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Connect ``length`` pieces on a board of ``rows`` x ``columns``."""

    rows: int = 6
    columns: int = 7
    length: int = 4
    max_turns: int = 42

    def __post_init__(self) -> None:
        for name in ("rows", "columns"):
            if not 3 <= getattr(self, name) <= 12:
                raise ConfigError(f"{name} must be from 3 to 12, got {getattr(self, name)}")
        if not 3 <= self.length <= max(self.rows, self.columns):
            raise ConfigError(f"length must be from 3 to the longer side, got {self.length}")
        if self.max_turns < 1:
            raise ConfigError(f"max_turns must be at least 1, got {self.max_turns}")


class State(NamedTuple):
    """The seats of each column's pieces, the lowest first."""

    columns: tuple[tuple[int, ...], ...]


def deal(config: Config, rng: np.random.Generator) -> State:
    """Return the empty board; there is no chance in it."""
    return State(((),) * config.columns)


def to_move(config: Config, state: State) -> int:
    """Return the seat that has dropped as many pieces as the other, or one less."""
    return sum(map(len, state.columns)) % 2


def connects(config: Config, columns: tuple[tuple[int, ...], ...], column: int) -> bool:
    """Return whether the top piece of a column is part of a row that wins."""
    row = len(columns[column]) - 1
    seat = columns[column][row]

    def run(down: int, right: int) -> int:
        count, x, y = 0, column + right, row + down
        while 0 <= x < config.columns and 0 <= y < len(columns[x]) and columns[x][y] == seat:
            count, x, y = count + 1, x + right, y + down
        return count

    return any(
        1 + run(down, right) + run(-down, -right) >= config.length for down, right in DIRECTIONS
    )


def play(config: Config, state: State, number: int) -> tuple[State, Outcome]:
    """Drop a piece into a column (from 1)."""
    seat = to_move(config, state)
    if not 1 <= number <= config.columns:
        told = to_each(seat, f"There is no column {number}: they are 1 to {config.columns}.", "")
        return state, Outcome("outside", told, legal=False)
    column = number - 1
    if len(state.columns[column]) == config.rows:
        return state, Outcome("full", to_each(seat, f"Column {number} is full.", ""), legal=False)
    dropped = (*state.columns[column], seat)
    columns = (*state.columns[:column], dropped, *state.columns[number:])
    said = f"{MARKS[seat]} drops into column {number}."
    if connects(config, columns, column):
        end = f"{config.length} in a row: you"
        told = to_each(seat, f"{said}\n{end} win.", f"{said}\n{end} lose.")
        return State(columns), Outcome("won", told, zero_sum(seat), over=True, winners=(seat,))
    if all(len(each) == config.rows for each in columns):
        told = to_all(f"{said}\nThe board is full: a draw.")
        return State(columns), Outcome("draw", told, over=True)
    return State(columns), Outcome("moved", to_all(said))


def legal_moves(config: Config, state: State) -> list[int]:
    """Return the columns with room."""
    return [number for number, column in enumerate(state.columns, 1) if len(column) < config.rows]


# -- wording ----------------------------------------------------------------------------------


def rules(config: Config, seat: int) -> str:
    """Return the text that opens the episode."""
    order = "move first" if seat == 0 else "move second"
    return (
        f"Connect Four: two players drop pieces into the {config.columns} columns of a board with "
        f"{config.rows} rows in turn; a piece falls to the lowest free cell. {config.length} of a "
        f"player's pieces in a row, column or diagonal win. You are {MARKS[seat]} and {order}."
    )


def form(config: Config, state: State, seat: int) -> str:
    """Return the form of an action."""
    return "give the number of a column with room as \\boxed{column}."


def view(config: Config, state: State, seat: int) -> str:
    """Return the board, the highest row first, the columns' numbers below."""
    rows = [
        " ".join(MARKS[column[row]] if row < len(column) else "." for column in state.columns)
        for row in reversed(range(config.rows))
    ]
    return "\n".join([*rows, " ".join(str((n + 1) % 10) for n in range(config.columns))])


class ConnectFourEnv(TextAEC[Config, State, int]):
    r"""Four pieces in a row, two players.

    ## Action Space
    ``UnicodeText``: any reply; the integer in its last ``\boxed{}`` is the column, from 1.

    ## Observation Space
    ``Dict(text=UnicodeText)``: the rules until the player has moved, what happened, the board.

    ## Rewards
    1 for a win, -1 for a loss, 0 for a draw; they add up to 0.

    ## Episode End
    Terminated by a row that wins, a full board, the last turn (a draw), or a reply that used a
    player's last try.

    ## Information
    ``event``: ``moved``, ``won``, ``draw``, ``full``, ``outside``; see
    :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## Arguments
    See :class:`Config`; and those of :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## References
    The game of 1974; the wording is our own.

    ## Version History
    v0: first release.
    """

    name = "connect_four"
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


env = raw_env = ConnectFourEnv
parallel_env = parallel(ConnectFourEnv)
