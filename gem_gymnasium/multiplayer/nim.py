r"""Nim: take any number of objects from one heap; the last object decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.wording import count_of
from gem_gymnasium.multiplayer.game import Outcome, to_each, zero_sum
from gem_gymnasium.multiplayer.replies import boxed, boxed_pair
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import parallel

EVENTS = ("moved", "won", "lost", "no_heap", "too_few", "too_many")

Move = tuple[int, int]
"""A heap, from 1, and how many objects are taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """``heaps`` heaps of 1 to ``largest`` objects, drawn; with ``misere`` the last one loses."""

    heaps: int = 3
    largest: int = 7
    misere: bool = False
    max_turns: int = 60

    def __post_init__(self) -> None:
        for name, most in (("heaps", 9), ("largest", 99)):
            if not 1 <= getattr(self, name) <= most:
                raise ConfigError(f"{name} must be from 1 to {most}, got {getattr(self, name)}")
        if self.max_turns < 1:
            raise ConfigError(f"max_turns must be at least 1, got {self.max_turns}")


class State(NamedTuple):
    """The size of each heap, and who moves."""

    heaps: tuple[int, ...]
    seat: int = 0


def deal(config: Config, rng: np.random.Generator) -> State:
    """Draw the heaps, each size alike."""
    return State(tuple(int(n) for n in rng.integers(1, config.largest + 1, config.heaps)))


def to_move(config: Config, state: State) -> int:
    """Return the seat that moves."""
    return state.seat


def play(config: Config, state: State, move: Move) -> tuple[State, Outcome]:
    """Take objects from a heap."""
    (heap, count), seat = move, state.seat
    if not 1 <= heap <= len(state.heaps):
        why = f"There is no heap {heap}: they are 1 to {len(state.heaps)}."
        return state, Outcome("no_heap", to_each(seat, why, ""), legal=False)
    if count < 1:
        why = "At least one object must be taken."
        return state, Outcome("too_few", to_each(seat, why, ""), legal=False)
    if count > state.heaps[heap - 1]:
        why = f"Heap {heap} has {count_of(state.heaps[heap - 1], 'object')} only."
        return state, Outcome("too_many", to_each(seat, why, ""), legal=False)
    heaps = tuple(n - count if i == heap else n for i, n in enumerate(state.heaps, 1))
    after = State(heaps, 1 - seat)
    taken = f"{count_of(count, 'object')} from heap {heap}"
    told = to_each(seat, f"You take {taken}.", f"The other player takes {taken}.")
    if any(heaps):
        return after, Outcome("moved", told)
    winner = 1 - seat if config.misere else seat
    told = tuple(
        f"{text}\nThat was the last one: you {'win' if each == winner else 'lose'}."
        for each, text in enumerate(told)
    )
    event = "won" if winner == seat else "lost"
    return after, Outcome(event, told, zero_sum(winner), over=True, winners=(winner,))


def legal_moves(config: Config, state: State) -> list[Move]:
    """Return every number of every heap."""
    return [
        (heap, count) for heap, size in enumerate(state.heaps, 1) for count in range(1, size + 1)
    ]


# -- wording ----------------------------------------------------------------------------------


def rules(config: Config, seat: int) -> str:
    """Return the text that opens the episode."""
    end = "loses" if config.misere else "wins"
    order = "first" if seat == 0 else "second"
    return (
        "Nim: two players take objects in turn, at least one and any number of one heap. Who takes "
        f"the last object {end}. You move {order}."
    )


def form(config: Config, state: State, seat: int) -> str:
    """Return the form of an action."""
    return "give a heap and how many objects you take of it as \\boxed{heap number}."


def view(config: Config, state: State, seat: int) -> str:
    """Return the heaps."""
    return "\n".join(f"Heap {number}: {size}" for number, size in enumerate(state.heaps, 1))


def write(move: Move) -> str:
    """Return the reply that makes a move."""
    return boxed(f"{move[0]} {move[1]}")


class NimEnv(TextAEC[Config, State, Move]):
    r"""Take objects from heaps, two players.

    ## Action Space
    ``UnicodeText``: any reply; the last ``\boxed{}`` holds a heap and a number of objects.

    ## Observation Space
    ``Dict(text=UnicodeText)``: the rules until the player has moved, what happened, the heaps.

    ## Rewards
    1 for a win, -1 for a loss; they add up to 0.

    ## Episode End
    Terminated by the last object, the last turn (a draw), or a reply that used a player's last try.

    ## Information
    ``event``: ``moved``, ``won``, ``lost``, ``no_heap``, ``too_few``, ``too_many``; see
    :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## Arguments
    See :class:`Config`; and those of :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## References
    Bouton, "Nim, a game with a complete mathematical theory" (1901); the wording is our own.

    ## Version History
    v0: first release.
    """

    name = "nim"
    config_type = Config
    state_type = State
    events = EVENTS

    deal = staticmethod(deal)
    to_move = staticmethod(to_move)
    rules = staticmethod(rules)
    form = staticmethod(form)
    view = staticmethod(view)
    parse = staticmethod(boxed_pair)
    write = staticmethod(write)
    play = staticmethod(play)
    legal_moves = staticmethod(legal_moves)


env = raw_env = NimEnv
parallel_env = parallel(NimEnv)
