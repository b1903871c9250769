r"""Liar's dice: bid on dice that are mostly hidden, or call the last bid a lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed, to_ints, to_word
from gem_gymnasium.core.wording import count_of
from gem_gymnasium.multiplayer.game import Outcome, lost, to_each
from gem_gymnasium.multiplayer.replies import boxed
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import parallel

EVENTS = ("bid", "liar", "too_low", "outside", "no_bid")
Bid = tuple[int, int]
"""How many dice show a face, and the face; ``LIAR`` calls the last one a lie."""

LIAR: Bid = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """``seats`` players with ``dice`` dice of ``faces`` faces each; one call ends the game."""

    seats: int = 2
    dice: int = 3
    faces: int = 6
    max_turns: int = 1_000

    def __post_init__(self) -> None:
        for name, least, most in (("seats", 2, 4), ("dice", 1, 6), ("faces", 2, 9)):
            if not least <= getattr(self, name) <= most:
                raise ConfigError(
                    f"{name} must be from {least} to {most}, got {getattr(self, name)}"
                )
        if self.max_turns < 1:
            raise ConfigError(f"max_turns must be at least 1, got {self.max_turns}")


class State(NamedTuple):
    """The dice of each seat, sorted, and the bids so far."""

    dice: tuple[tuple[int, ...], ...]
    bids: tuple[Bid, ...] = ()


def players(config: Config) -> int:
    """Return the number of seats."""
    return config.seats


def deal(config: Config, rng: np.random.Generator) -> State:
    """Throw the dice."""
    thrown = rng.integers(1, config.faces + 1, (config.seats, config.dice))
    return State(tuple(tuple(sorted(int(face) for face in row)) for row in thrown))


def to_move(config: Config, state: State) -> int:
    """Return the seat that bids or calls."""
    return len(state.bids) % config.seats


def play(config: Config, state: State, bid: Bid) -> tuple[State, Outcome]:
    """Bid higher, or call the last bid a lie."""
    seat = to_move(config, state)
    if bid == LIAR:
        return _called(config, state, seat)
    count, face = bid
    most = config.seats * config.dice
    if not (1 <= count <= most and 1 <= face <= config.faces):
        why = f"A bid is a number from 1 to {most} and a face from 1 to {config.faces}."
        return state, Outcome("outside", _to(config, seat, why), legal=False)
    if state.bids and bid <= state.bids[-1]:
        last = said(state.bids[-1])
        why = f"A bid must be higher than {last}: more dice, or as many of a higher face."
        return state, Outcome("too_low", _to(config, seat, why), legal=False)
    told = to_each(seat, f"You bid {said(bid)}.", f"player_{seat} bids {said(bid)}.", config.seats)
    return state._replace(bids=(*state.bids, bid)), Outcome("bid", told)


def _called(config: Config, state: State, seat: int) -> tuple[State, Outcome]:
    """Judge the last bid."""
    if not state.bids:
        why = "There is no bid to call a lie yet."
        return state, Outcome("no_bid", _to(config, seat, why), legal=False)
    count, face = state.bids[-1]
    bidder = (seat - 1) % config.seats
    there = sum(dice.count(face) for dice in state.dice)
    loser = seat if there >= count else bidder
    shown = "; ".join(
        f"player_{each} {' '.join(map(str, dice))}" for each, dice in enumerate(state.dice)
    )
    head = to_each(seat, "You call it a lie.", f"player_{seat} calls it a lie.", config.seats)
    told = tuple(
        f"{text}\nThe dice: {shown}. {count_of(there, 'die') if there == 1 else f'{there} dice'} "
        f"of {face}: " + ("you lose." if each == loser else f"player_{loser} loses, you win.")
        for each, text in enumerate(head)
    )
    winners = tuple(each for each in range(config.seats) if each != loser)
    rewards = lost(loser, config.seats)
    return state, Outcome("liar", told, rewards, over=True, winners=winners)


def _to(config: Config, seat: int, why: str) -> tuple[str, ...]:
    return to_each(seat, why, "", config.seats)


def legal_moves(config: Config, state: State) -> list[Bid]:
    """Return every higher bid, and the call."""
    last = state.bids[-1] if state.bids else LIAR
    bids = [
        (count, face)
        for count in range(1, config.seats * config.dice + 1)
        for face in range(1, config.faces + 1)
        if (count, face) > last
    ]
    return [*bids, LIAR] if state.bids else bids


# -- wording ----------------------------------------------------------------------------------


def said(bid: Bid) -> str:
    """Return a bid as it is told: ``2 of 5``."""
    return f"{bid[0]} of {bid[1]}"


def rules(config: Config, seat: int) -> str:
    """Return the text that opens the episode."""
    own = "one die" if config.dice == 1 else f"{config.dice} dice"
    return (
        f"Liar's dice: each of {config.seats} players has {own} with faces 1 to {config.faces} and "
        "sees no other's. In turn, bid that at least so many of all dice show a face; each bid "
        "must name more dice than the last, or as many of a higher face. Or call the last bid a "
        "lie: then all dice are shown; if it was true you lose, else the player who bid. "
        f"You are player_{seat}; player_0 begins."
    )


def form(config: Config, state: State, seat: int) -> str:
    """Return the form of an action."""
    call = " or \\boxed{liar}" if state.bids else ""
    return f"give \\boxed{{number face}}{call}."


def view(config: Config, state: State, seat: int) -> str:
    """Return a seat's own dice and the bids."""
    bids = ", ".join(f"player_{n % config.seats} {said(bid)}" for n, bid in enumerate(state.bids))
    return f"Your dice: {' '.join(map(str, state.dice[seat]))}. Bids: {bids or 'none yet'}."


def parse(reply: str) -> Bid | None:
    r"""Return the two integers in the last ``\boxed{}``, or ``LIAR``, or None."""
    held = last_boxed(reply)
    if to_word(held) == "liar":
        return LIAR
    numbers = to_ints(held)
    if numbers is None or len(numbers) != 2 or numbers == LIAR:
        return None
    return numbers[0], numbers[1]


def write(move: Bid) -> str:
    """Return the reply that makes a bid or the call."""
    return boxed("liar" if move == LIAR else f"{move[0]} {move[1]}")


def redealt(config: Config, state: State, seat: int, rng: np.random.Generator) -> State:
    """Throw a seat's dice again."""
    new = deal(config, rng).dice[seat]
    return state._replace(
        dice=tuple(new if each == seat else dice for each, dice in enumerate(state.dice))
    )


class LiarsDiceEnv(TextAEC[Config, State, Bid]):
    r"""Bids on hidden dice, two to four players.

    ## Action Space
    ``UnicodeText``: any reply; its last ``\boxed{}`` holds a number and a face, or ``liar``.

    ## Observation Space
    ``Dict(text=UnicodeText)``: the rules until the player has moved, what happened, its own dice
    and the bids.

    ## Rewards
    -1 for the loser, 1 shared by the others; they add up to 0.

    ## Episode End
    Terminated by a call, or a reply that used a player's last try.

    ## Information
    ``event``: ``bid``, ``liar``, ``too_low``, ``outside``, ``no_bid``; see
    :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## Arguments
    See :class:`Config`; and those of :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## References
    The classic game in one round and without wild faces; the wording is our own.

    ## Version History
    v0: first release.
    """

    name = "liars_dice"
    config_type = Config
    state_type = State
    events = EVENTS

    players = staticmethod(players)
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


env = raw_env = LiarsDiceEnv
parallel_env = parallel(LiarsDiceEnv)
