"""MultiGame: what a game of several players supplies; ``TextAEC`` makes a PettingZoo env of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic

import numpy as np

from gem_gymnasium.core.game import ConfigT, MoveT, StateT


@dataclass(slots=True)
class Outcome:
    """What one well-formed move led to; a value, which nobody changes."""

    event: str
    """One name of the game's closed set ``events``; only the player who moved is told."""
    told: tuple[str, ...]
    """What each seat is told about the move, ``""`` for nothing."""
    rewards: tuple[float, ...] = ()
    """What each seat is paid; empty: nobody is."""
    legal: bool = True
    """False for a move that the rules refuse: it changes nothing, and costs a try."""
    over: bool = False
    winners: tuple[int, ...] = ()
    """The seats that have won, where the game is over and not drawn."""


class MultiGame(ABC, Generic[ConfigT, StateT, MoveT]):
    """The rules and the wording of a game of several players, as pure functions.

    A subclass names

    - ``name``, as PettingZoo's ``metadata["name"]`` without the version;
    - ``config_type``, a frozen dataclass with a ``max_turns`` (the moves of all players together);
    - ``state_type``, a NamedTuple of ints, floats, strs, bools and tuples of them;
    - ``events``, the names that its outcomes use;
    - ``simultaneous``, whether all choose before any choice is shown. Such a game keeps the choices
      made so far in its state and shows them to nobody;
    - the functions below.

    A seat is a player's number from 0. Chance is settled in ``deal``: a state holds the deck, and
    what a seat may see of it is what ``view`` and ``told`` say.
    """

    name: ClassVar[str]
    config_type: ClassVar[type[Any]]
    state_type: ClassVar[type[Any]]
    events: ClassVar[tuple[str, ...]]
    simultaneous: ClassVar[bool] = False

    @staticmethod
    def players(config: ConfigT, /) -> int:
        """Return the number of seats."""
        return 2

    @staticmethod
    @abstractmethod
    def deal(config: ConfigT, rng: np.random.Generator, /) -> StateT:
        """Draw the first state of an episode."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def to_move(config: ConfigT, state: StateT, /) -> int:
        """Return the seat that moves now."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def rules(config: ConfigT, seat: int, /) -> str:
        """Return the text a seat reads first: the game, its rules, its own part."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def form(config: ConfigT, state: StateT, seat: int, /) -> str:
        """Return one sentence on the form of an action, without capital and with a full stop."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def view(config: ConfigT, state: StateT, seat: int, /) -> str:
        """Return what a seat can see now; nothing that is hidden from it."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def parse(reply: str, /) -> MoveT | None:
        """Return the move a reply holds, or None; never raises, in linear time."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def write(move: MoveT, /) -> str:
        """Return the shortest reply that ``parse`` reads as ``move``."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def play(config: ConfigT, state: StateT, move: MoveT, /) -> tuple[StateT, Outcome]:
        """Apply one move of the seat that moves now."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def legal_moves(config: ConfigT, state: StateT, /) -> Sequence[MoveT]:
        """Return every legal move, or a fair choice of them where there are too many to list."""
        raise NotImplementedError

    @staticmethod
    def unfinished(config: ConfigT, state: StateT, /) -> Outcome:
        """Return what becomes of a game whose turns are used up: a draw, unless it says more."""
        return Outcome("draw", (), over=True)

    @staticmethod
    def forfeit(config: ConfigT, state: StateT, seat: int, /) -> tuple[float, ...]:
        """Return what each seat is paid when one has no try left.

        Empty: -1 to it, and 1 shared by the others.
        """
        return ()

    @staticmethod
    def redealt(config: ConfigT, state: StateT, seat: int, rng: np.random.Generator, /) -> Any:
        """Return a state with another secret of ``seat``, which no other seat can tell from this.

        None where it has no secret. ``check_text_aec`` compares what the others read in both.
        """
        return None


def to_all(text: str, players: int = 2) -> tuple[str, ...]:
    """Tell every seat the same."""
    return (text,) * players


def to_each(mover: int, own: str, others: str, players: int = 2) -> tuple[str, ...]:
    """Tell the seat that moved one thing, and the others another."""
    return tuple(own if seat == mover else others for seat in range(players))


def zero_sum(winner: int | None) -> tuple[float, ...]:
    """Return the rewards of a game of two that one has won, or None has."""
    return (0.0, 0.0) if winner is None else ((1.0, -1.0) if winner == 0 else (-1.0, 1.0))


def lost(loser: int, players: int = 2) -> tuple[float, ...]:
    """Return the rewards of a game that one has lost: -1, and 1 shared by the others."""
    return tuple(-1.0 if seat == loser else 1.0 / (players - 1) for seat in range(players))
