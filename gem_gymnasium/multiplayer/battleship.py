r"""Battleship: find the other player's hidden ships, shot by shot."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed
from gem_gymnasium.multiplayer.game import Outcome, to_each, zero_sum
from gem_gymnasium.multiplayer.replies import boxed
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import parallel

LETTERS = "ABCDEFGHIJ"
SHIPS = {4: (2, 2), 5: (3, 2), 6: (3, 2, 2), 7: (4, 3, 2), 8: (4, 3, 3, 2), 9: (5, 4, 3, 2),
         10: (5, 4, 3, 3, 2)}  # fmt: skip
"""The lengths of the ships, by the size of the board."""

TRIES = 1_000
EVENTS = ("hit", "miss", "sunk", "won", "outside", "repeated")

_CELL = re.compile(r"\s*([A-Ja-j])\s*(10|[1-9])\s*")
Cell = tuple[int, int]
"""A row and a column, from 0."""

Ship = tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A board of ``size`` x ``size`` for each; the ships are placed at random and never touch."""

    size: int = 6
    max_turns: int = 200

    def __post_init__(self) -> None:
        if self.size not in SHIPS:
            raise ConfigError(f"size must be from 4 to 10, got {self.size}")
        if self.max_turns < 1:
            raise ConfigError(f"max_turns must be at least 1, got {self.max_turns}")


class State(NamedTuple):
    """The ships of each seat, and the shots that each has fired, in their order."""

    ships: tuple[tuple[Ship, ...], ...]
    shots: tuple[tuple[Cell, ...], tuple[Cell, ...]] = ((), ())


def placed(config: Config, rng: np.random.Generator) -> tuple[Ship, ...]:
    """Place ships that do not touch, not even at corners."""
    while True:  # one try in some places them all
        taken: set[Cell] = set()
        ships: list[Ship] = []
        for length in SHIPS[config.size]:
            for _ in range(TRIES):
                along, across = (int(rng.integers(config.size - length + 1)),
                                 int(rng.integers(config.size)))  # fmt: skip
                cells = [(along + i, across) for i in range(length)]
                ship = tuple(cells if rng.integers(2) else ((b, a) for a, b in cells))
                if taken.isdisjoint(ship):
                    ships.append(ship)
                    taken |= {(r + i, c + j) for r, c in ship for i in (-1, 0, 1)
                              for j in (-1, 0, 1)}  # fmt: skip
                    break
        if len(ships) == len(SHIPS[config.size]):
            return tuple(ships)


def deal(config: Config, rng: np.random.Generator) -> State:
    """Place the ships of both."""
    return State((placed(config, rng), placed(config, rng)))


def to_move(config: Config, state: State) -> int:
    """Return the seat that fires."""
    return int(len(state.shots[0]) > len(state.shots[1]))


def play(config: Config, state: State, cell: Cell) -> tuple[State, Outcome]:
    """Fire at a cell."""
    seat = to_move(config, state)
    if max(cell) >= config.size:
        last = named((config.size - 1, config.size - 1))
        told = to_each(seat, f"{named(cell)} is outside A1 to {last}.", "")
        return state, Outcome("outside", told, legal=False)
    if cell in state.shots[seat]:
        told = to_each(seat, f"You have fired at {named(cell)} before.", "")
        return state, Outcome("repeated", told, legal=False)
    own = (*state.shots[seat], cell)
    after = state._replace(shots=(own, state.shots[1]) if seat == 0 else (state.shots[0], own))
    ships = state.ships[1 - seat]
    struck = next((ship for ship in ships if cell in ship), None)
    if struck is None:
        event, what = "miss", "a miss"
    elif set(struck) <= set(own):
        event, what = "sunk", f"a ship of length {len(struck)} is sunk"
    else:
        event, what = "hit", "a hit"
    told = to_each(
        seat,
        f"You fire at {named(cell)}: {what}.",
        f"The other player fires at {named(cell)}: {what}.",
    )
    if not all(set(ship) <= set(own) for ship in ships):
        return after, Outcome(event, told)
    told = tuple(
        f"{text}\nAll ships are sunk: you {'win' if each == seat else 'lose'}."
        for each, text in enumerate(told)
    )
    return after, Outcome("won", told, zero_sum(seat), over=True, winners=(seat,))


def legal_moves(config: Config, state: State) -> list[Cell]:
    """Return the cells that the seat which fires has not fired at."""
    fired = set(state.shots[to_move(config, state)])
    cells = range(config.size)
    return [(row, column) for row in cells for column in cells if (row, column) not in fired]


def redealt(config: Config, state: State, seat: int, rng: np.random.Generator) -> State | None:
    """Place a seat's ships anew, so that every shot at them so far had done the same."""
    shots = state.shots[1 - seat]

    def seen(ships: tuple[Ship, ...]) -> list[tuple[bool, int]]:
        said: list[tuple[bool, int]] = []
        for count, shot in enumerate(shots, 1):
            struck = next((ship for ship in ships if shot in ship), ())
            sunk = bool(struck) and set(struck) <= set(shots[:count])
            said.append((bool(struck), len(struck) if sunk else 0))
        return said

    told = seen(state.ships[seat])
    for _ in range(50):
        ships = placed(config, rng)
        if seen(ships) == told:
            both = (ships, state.ships[1]) if seat == 0 else (state.ships[0], ships)
            return state._replace(ships=both)
    return None


# -- wording ----------------------------------------------------------------------------------


def named(cell: Cell) -> str:
    """Return a cell's name: its row's letter and its column's number."""
    return f"{LETTERS[cell[0]]}{cell[1] + 1}"


def rules(config: Config, seat: int) -> str:
    """Return the text that opens the episode."""
    size = config.size
    lengths = ", ".join(map(str, SHIPS[size]))
    order = "first" if seat == 0 else "second"
    return (
        f"Battleship: each of two players has a {size}x{size} board (rows A to "
        f"{LETTERS[size - 1]}, columns 1 to {size}) with hidden straight ships of lengths "
        f"{lengths}, which do not touch. In turn, fire at a cell of the other's board. Who first "
        f"sinks all ships of the other wins. You fire {order}."
    )


def form(config: Config, state: State, seat: int) -> str:
    """Return the form of an action."""
    return "give a cell that you have not fired at as \\boxed{B3}."


def view(config: Config, state: State, seat: int) -> str:
    """Return the other's board as the shots have shown it, and the seat's own."""
    theirs = {cell for ship in state.ships[1 - seat] for cell in ship}
    own = {cell for ship in state.ships[seat] for cell in ship}
    fired, got = set(state.shots[seat]), set(state.shots[1 - seat])

    def shown(cell: Cell) -> str:
        return "." if cell not in fired else "X" if cell in theirs else "o"

    def mine(cell: Cell) -> str:
        if cell in own:
            return "X" if cell in got else "S"
        return "o" if cell in got else "."

    cells = range(config.size)
    head = "  " + " ".join(str(n + 1) for n in cells)
    boards: list[str] = []
    for title, sign in (
        ("The other's board (X hit, o miss):", shown),
        ("Your board (S ship, X hit, o miss):", mine),
    ):
        rows = [f"{LETTERS[row]} " + " ".join(sign((row, n)) for n in cells) for row in cells]
        boards.append("\n".join([title, head, *rows]))
    return "\n".join(boards)


def parse(reply: str) -> Cell | None:
    r"""Return the cell in the last ``\boxed{}``, such as B3, or None."""
    held = last_boxed(reply)
    found = _CELL.fullmatch(held) if held is not None and len(held) <= 20 else None
    if found is None:
        return None
    return LETTERS.index(found[1].upper()), int(found[2]) - 1


def write(move: Cell) -> str:
    """Return the reply that fires at a cell."""
    return boxed(named(move))


class BattleshipEnv(TextAEC[Config, State, Cell]):
    r"""Shots at hidden ships, two players.

    ## Action Space
    ``UnicodeText``: any reply; its last ``\boxed{}`` holds a cell, such as ``B3``.

    ## Observation Space
    ``Dict(text=UnicodeText)``: the rules until the player has fired, what happened, what is known
    of the other's board, its own board.

    ## Rewards
    1 for a win, -1 for a loss, 0 for a draw; they add up to 0.

    ## Episode End
    Terminated by the last ship, the last turn (a draw), or a reply that used a player's last try.

    ## Information
    ``event``: ``hit``, ``miss``, ``sunk``, ``won``, ``outside``, ``repeated``; see
    :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## Arguments
    See :class:`Config`; and those of :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## References
    The classic game with ships placed at random; the wording is our own.

    ## Version History
    v0: first release.
    """

    name = "battleship"
    config_type = Config
    state_type = State
    events = EVENTS

    deal = staticmethod(deal)
    to_move = staticmethod(to_move)
    rules = staticmethod(rules)
    form = staticmethod(form)
    view = staticmethod(view)
    parse = staticmethod(parse)
    write = staticmethod(write)
    play = staticmethod(play)
    legal_moves = staticmethod(legal_moves)
    redealt = staticmethod(redealt)


env = raw_env = BattleshipEnv
parallel_env = parallel(BattleshipEnv)
