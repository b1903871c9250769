r"""A negotiation: two players talk and part a pool of things that each values in its own way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed, to_ints, to_word
from gem_gymnasium.core.wording import count_of
from gem_gymnasium.multiplayer.game import Outcome, to_each
from gem_gymnasium.multiplayer.replies import boxed, said
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import parallel

THINGS = ("book", "hat", "ball")
TOTAL = 10
"""What the whole pool is worth to each player."""

EVENTS = ("talk", "offer", "agreed", "no_deal", "too_many", "no_offer")


class Move(NamedTuple):
    """What is said, and done: ``talk``, ``offer`` (what the player keeps itself) or ``accept``."""

    done: str
    keep: tuple[int, ...] = ()
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Agree within ``max_turns`` messages of both, or get nothing."""

    max_turns: int = 10

    def __post_init__(self) -> None:
        if self.max_turns < 2:
            raise ConfigError(f"max_turns must be at least 2, got {self.max_turns}")


class State(NamedTuple):
    """How many things of each kind there are, what one is worth to each seat, and the offers."""

    pool: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]
    moves: int = 0
    offer: tuple[int, ...] = ()
    """What the seat that made the last offer keeps; empty: there is none."""
    by: int = -1
    """The seat that made it."""


def valued(pool: tuple[int, ...], rng: np.random.Generator) -> tuple[int, ...]:
    """Draw what things are worth, so that the pool is worth ``TOTAL``."""
    while True:
        values = tuple(int(n) for n in rng.integers(0, TOTAL + 1, len(pool)))
        if sum(n * value for n, value in zip(pool, values, strict=True)) == TOTAL:
            return values


def deal(config: Config, rng: np.random.Generator) -> State:
    """Draw a pool of five to seven things, and what they are worth to each."""
    while True:
        pool = tuple(int(n) for n in rng.integers(1, 5, len(THINGS)))
        if 5 <= sum(pool) <= 7:
            return State(pool, (valued(pool, rng), valued(pool, rng)))


def to_move(config: Config, state: State) -> int:
    """Return the seat that speaks."""
    return state.moves % 2


def worth(state: State, seat: int, kept: tuple[int, ...]) -> int:
    """Return what things are worth to a seat."""
    return sum(n * value for n, value in zip(kept, state.values[seat], strict=True))


def can_accept(state: State) -> bool:
    """Return whether the last offer is the other player's; talk leaves it as it is."""
    return state.by == 1 - state.moves % 2


def play(config: Config, state: State, move: Move) -> tuple[State, Outcome]:
    """Talk, offer or accept."""
    seat = to_move(config, state)
    if move.done == "offer" and any(
        not 0 <= keep <= there for keep, there in zip(move.keep, state.pool, strict=True)
    ):
        why = f"You can keep {things(state.pool)} at most, and of no kind less than 0."
        return state, Outcome("too_many", to_each(seat, why, ""), legal=False)
    if move.done == "accept" and not can_accept(state):
        why = "There is no offer of the other player to accept."
        return state, Outcome("no_offer", to_each(seat, why, ""), legal=False)
    words = f" You say: {move.said}" if move.said else ""
    heard = f" It says: {move.said}" if move.said else ""
    if move.done == "accept":
        return _agreed(state, seat, words, heard)
    after = state._replace(moves=state.moves + 1)
    if move.done == "talk":
        told = to_each(
            seat, f"You make no offer.{words}", f"The other player makes no offer.{heard}"
        )
        return after, Outcome("talk", told)
    after = after._replace(offer=move.keep, by=seat)
    rest = tuple(there - keep for there, keep in zip(state.pool, move.keep, strict=True))
    told = to_each(
        seat,
        f"You offer to keep {things(move.keep)} and leave {things(rest)}.{words}",
        f"The other player offers to keep {things(move.keep)} and leave you {things(rest)}.{heard}",
    )
    return after, Outcome("offer", told)


def _agreed(state: State, seat: int, words: str, heard: str) -> tuple[State, Outcome]:
    """Part the pool as the other player has offered."""
    own = tuple(there - keep for there, keep in zip(state.pool, state.offer, strict=True))
    kept = {seat: own, 1 - seat: state.offer}
    points = [worth(state, each, kept[each]) for each in (0, 1)]
    heads = to_each(seat, f"You accept.{words}", f"The other player accepts.{heard}")
    told = tuple(
        f"{text}\nYou get {things(kept[each])}: {count_of(points[each], 'point')} of {TOTAL} for "
        f"you, {points[1 - each]} for the other player."
        for each, text in enumerate(heads)
    )
    rewards = tuple(each / TOTAL for each in points)
    after = state._replace(moves=state.moves + 1)
    winners = tuple(each for each in (0, 1) if 2 * points[each] >= TOTAL)
    return after, Outcome("agreed", told, rewards, over=True, winners=winners)


def unfinished(config: Config, state: State) -> Outcome:
    """Leave both with nothing."""
    text = "There is no turn left and no deal: both get nothing."
    return Outcome("no_deal", (text, text), over=True)


def legal_moves(config: Config, state: State) -> list[Move]:
    """Return every offer, talk without one, and acceptance where there is something to accept."""
    counts = [range(there + 1) for there in state.pool]
    offers = [Move("offer", (a, b, c)) for a in counts[0] for b in counts[1] for c in counts[2]]
    return [*offers, Move("talk"), *([Move("accept")] if can_accept(state) else [])]


def forfeit(config: Config, state: State, seat: int) -> tuple[float, ...]:
    """Let who gave no legal reply lose 1, and pay the other half of the pool."""
    return (-1.0, 0.5) if seat == 0 else (0.5, -1.0)


def redealt(config: Config, state: State, seat: int, rng: np.random.Generator) -> State:
    """Let things be worth something else to a seat."""
    new = valued(state.pool, rng)
    return state._replace(
        values=tuple(new if each == seat else own for each, own in enumerate(state.values))
    )


# -- wording ----------------------------------------------------------------------------------


def things(counts: tuple[int, ...]) -> str:
    """Return counts in words: ``1 book, 0 hats, 2 balls``."""
    return ", ".join(count_of(n, name) for n, name in zip(counts, THINGS, strict=True))


def rules(config: Config, seat: int) -> str:
    """Return the text that opens the episode."""
    order = "first" if seat == 0 else "second"
    return (
        "A negotiation: two players part a pool of things. All of it is worth "
        f"{TOTAL} points to each, but single things are worth different numbers to each, and only "
        "you know yours. In turn, say something, offer a way to part it, or accept the other's "
        f"last offer. Without a deal after {config.max_turns} messages both get nothing. Your aim "
        f"is as many points of your own as you can get. You speak {order}."
    )


def form(config: Config, state: State, seat: int) -> str:
    """Return the form of an action."""
    accept = " or \\boxed{accept}" if can_accept(state) else ""
    return (
        "give how many books, hats and balls you keep as \\boxed{1 0 2}, or \\boxed{talk}"
        f"{accept}. What you write between <say> and </say> is shown to the other player."
    )


def view(config: Config, state: State, seat: int) -> str:
    """Return the pool, and what it is worth to a seat."""
    own = ", ".join(
        f"a {name} {value}" for name, value in zip(THINGS, state.values[seat], strict=True)
    )
    left = count_of(config.max_turns - state.moves, "message")
    return f"The pool: {things(state.pool)}. Worth to you: {own}. {left} left."


def parse(reply: str) -> Move | None:
    r"""Return what the last ``\boxed{}`` does, and what the last ``<say>`` says, or None."""
    held = last_boxed(reply)
    word = to_word(held)
    if word in ("talk", "accept"):
        return Move(word, (), said(reply))
    numbers = to_ints(held)
    if numbers is None or len(numbers) != len(THINGS):
        return None
    return Move("offer", numbers, said(reply))


def write(move: Move) -> str:
    """Return the reply that makes a move."""
    held = boxed(" ".join(map(str, move.keep)) if move.done == "offer" else move.done)
    return f"<say>{move.said}</say>{held}" if move.said else held


class NegotiationEnv(TextAEC[Config, State, Move]):
    r"""Part a pool of things by talk and offers, two players.

    ## Action Space
    ``UnicodeText``: any reply; its last ``\boxed{}`` holds three numbers (what the player keeps),
    ``talk`` or ``accept``. What its last ``<say>`` tag holds, up to 500 characters, is shown to the
    other player; the rest of the reply is not.

    ## Observation Space
    ``Dict(text=UnicodeText)``: the rules until the player has spoken, what was said and offered,
    the pool and what it is worth to the player.

    ## Rewards
    What a player gets over what the whole pool is worth, in [0, 1]; 0 without a deal. A reply that
    used the last try costs 1 and pays the other 1/2.

    ## Episode End
    Terminated by a deal, the last turn, or a reply that used a player's last try.

    ## Information
    ``event``: ``talk``, ``offer``, ``agreed``, ``no_deal``, ``too_many``, ``no_offer``;
    ``success``: at least half of the points. See
    :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## Arguments
    See :class:`Config`; and those of :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## References
    The setting of Lewis et al., "Deal or No Deal?" (arXiv 1706.05125); the wording is our own.

    ## Version History
    v0: first release.
    """

    name = "negotiation"
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
    unfinished = staticmethod(unfinished)
    forfeit = staticmethod(forfeit)
    redealt = staticmethod(redealt)


env = raw_env = NegotiationEnv
parallel_env = parallel(NegotiationEnv)
