r"""Lowest unique number: all choose at once; the lowest number that one alone chose wins."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.wording import count_of
from gem_gymnasium.multiplayer.game import Outcome, to_each
from gem_gymnasium.multiplayer.replies import boxed, boxed_int
from gem_gymnasium.multiplayer.rounds import State, deal, to_move
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import parallel

EVENTS = ("chosen", "round", "over", "outside")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """``seats`` players choose from 1 to ``largest`` in each of ``rounds`` rounds."""

    seats: int = 3
    largest: int = 6
    rounds: int = 5
    max_turns: int = 1_000

    def __post_init__(self) -> None:
        for name, least, most in (("seats", 3, 8), ("largest", 2, 99), ("rounds", 1, 50)):
            if not least <= getattr(self, name) <= most:
                raise ConfigError(
                    f"{name} must be from {least} to {most}, got {getattr(self, name)}"
                )
        if self.max_turns < self.seats * self.rounds:
            raise ConfigError(
                f"max_turns must be enough for {self.rounds} rounds, got {self.max_turns}"
            )


def players(config: Config) -> int:
    """Return the number of seats."""
    return config.seats


def winner_of(numbers: tuple[int, ...]) -> int | None:
    """Return the seat that alone has the lowest such number, or None if no number is unique."""
    unique = [number for number, count in Counter(numbers).items() if count == 1]
    return numbers.index(min(unique)) if unique else None


def scores(config: Config, state: State) -> tuple[int, ...]:
    """Return the rounds that each seat has won."""
    won = [winner_of(numbers) for numbers in state.rounds]
    return tuple(won.count(seat) for seat in range(config.seats))


def play(config: Config, state: State, number: int) -> tuple[State, Outcome]:
    """Choose; the last choice of a round shows all."""
    seat = to_move(config, state)
    if not 1 <= number <= config.largest:
        why = f"A number from 1 to {config.largest} is needed."
        return state, Outcome("outside", to_each(seat, why, "", config.seats), legal=False)
    chosen = (*state.chosen, number)
    if len(chosen) < config.seats:
        told = to_each(seat, f"You have chosen {number}.", "", config.seats)
        return state._replace(chosen=chosen), Outcome("chosen", told)
    after = State((*state.rounds, chosen))
    winner = winner_of(chosen)
    shown = ", ".join(f"player_{each} {number}" for each, number in enumerate(chosen))
    text = f"Round {len(after.rounds)}: {shown}. "
    text += "No number is unique." if winner is None else f"player_{winner} wins it."
    told = (text,) * config.seats
    if len(after.rounds) < config.rounds:
        return after, Outcome("round", told)
    total = scores(config, after)
    best = [each for each in range(config.seats) if total[each] == max(total)]
    winners = tuple(best) if len(best) < config.seats else ()
    end = f"\nThe game is over: {', '.join(f'player_{i} {n}' for i, n in enumerate(total))}. "
    told = tuple(
        f"{text}{end}"
        + ("A draw." if not winners else "You win." if each in winners else "You lose.")
        for each in range(config.seats)
    )
    rewards = paid(config, winners)
    return after, Outcome("over", told, rewards, over=True, winners=winners)


def paid(config: Config, winners: tuple[int, ...]) -> tuple[float, ...]:
    """Return 1 shared by the winners, and what that costs shared by the others."""
    losers = config.seats - len(winners)
    if not winners:
        return (0.0,) * config.seats
    return tuple(
        1.0 / len(winners) if each in winners else -1.0 / losers for each in range(config.seats)
    )


def legal_moves(config: Config, state: State) -> range:
    """Return the numbers."""
    return range(1, config.largest + 1)


# -- wording ----------------------------------------------------------------------------------


def rules(config: Config, seat: int) -> str:
    """Return the text that opens the episode."""
    return (
        f"Lowest unique number over {count_of(config.rounds, 'round')}: {config.seats} players "
        f"choose a number from 1 to {config.largest} at the same time. The lowest number that only "
        "one player chose wins the round. Who has won most rounds in the end wins. You are "
        f"player_{seat}."
    )


def form(config: Config, state: State, seat: int) -> str:
    """Return the form of an action."""
    return f"give a number from 1 to {config.largest} as \\boxed{{number}}."


def view(config: Config, state: State, seat: int) -> str:
    """Return the score."""
    won = ", ".join(f"player_{i} {n}" for i, n in enumerate(scores(config, state)))
    left = count_of(config.rounds - len(state.rounds), "round")
    return f"Rounds won: {won}; {left} left."


def redealt(config: Config, state: State, seat: int, rng: np.random.Generator) -> State | None:
    """Let a player who has chosen have chosen otherwise."""
    if seat >= len(state.chosen):
        return None
    other = state.chosen[seat] % config.largest + 1
    chosen = tuple(other if each == seat else n for each, n in enumerate(state.chosen))
    return state._replace(chosen=chosen)


class LowestUniqueEnv(TextAEC[Config, State, int]):
    r"""Choose a low number that nobody else chooses, three or more players at the same time.

    ## Action Space
    ``UnicodeText``: any reply; the integer in its last ``\boxed{}`` is the number.

    ## Observation Space
    ``Dict(text=UnicodeText)``: the rules until the player has chosen, the last round, the score.
    Who chooses later is shown nothing of what others chose.

    ## Rewards
    At the end 1 shared by the winners and -1 shared by the others, 0 where all are equal; they add
    up to 0.

    ## Episode End
    Terminated by the last round, or a reply that used a player's last try.

    ## Information
    ``event``: ``chosen``, ``round``, ``over``, ``outside``; see
    :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## Arguments
    See :class:`Config`; and those of :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## References
    Ostling et al., "Testing game theory in the field: Swedish LUPI lottery games" (2011); the
    wording is our own.

    ## Version History
    v0: first release.
    """

    name = "lowest_unique"
    config_type = Config
    state_type = State
    events = EVENTS
    simultaneous = True

    players = staticmethod(players)
    deal = staticmethod(deal)
    to_move = staticmethod(to_move)
    rules = staticmethod(rules)
    form = staticmethod(form)
    view = staticmethod(view)
    parse = staticmethod(boxed_int)
    write = staticmethod(boxed)
    play = staticmethod(play)
    legal_moves = staticmethod(legal_moves)
    redealt = staticmethod(redealt)


env = raw_env = LowestUniqueEnv
parallel_env = parallel(LowestUniqueEnv)
