r"""Rock, paper, scissors: several rounds, both choose before either is shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.wording import count_of
from gem_gymnasium.multiplayer.game import Outcome, to_each, zero_sum
from gem_gymnasium.multiplayer.replies import boxed, boxed_word
from gem_gymnasium.multiplayer.rounds import State, deal, to_move
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import parallel

CHOICES = ("rock", "paper", "scissors")
"""Each beats the one before it."""

EVENTS = ("chosen", "round", "over", "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Play ``rounds`` rounds; who has won more of them wins."""

    rounds: int = 5
    max_turns: int = 1_000

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= 100:
            raise ConfigError(f"rounds must be from 1 to 100, got {self.rounds}")
        if self.max_turns < 2 * self.rounds:
            raise ConfigError(
                f"max_turns must be enough for {self.rounds} rounds, got {self.max_turns}"
            )


def scores(state: State) -> tuple[int, int]:
    """Return the rounds that each seat has won."""
    places = [(CHOICES.index(a), CHOICES.index(b)) for a, b in state.rounds]
    return (
        sum((a - b) % 3 == 1 for a, b in places),
        sum((b - a) % 3 == 1 for a, b in places),
    )


def play(config: Config, state: State, word: str) -> tuple[State, Outcome]:
    """Choose; the second choice of a round shows both."""
    seat = to_move(config, state)
    if word not in CHOICES:
        why = f"There is no {word!r}: choose rock, paper or scissors."
        return state, Outcome("unknown", to_each(seat, why, ""), legal=False)
    if seat == 0:
        told = to_each(0, f"You have chosen {word}.", "")
        return state._replace(chosen=(word,)), Outcome("chosen", told)
    both = (state.chosen[0], word)
    after = State((*state.rounds, both))
    before, now = scores(state), scores(after)
    told = tuple(
        f"Round {len(after.rounds)}: you {both[each]}, the other player {both[1 - each]}: "
        + (
            "you win it."
            if now[each] > before[each]
            else "you lose it."
            if now[1 - each] > before[1 - each]
            else "nobody wins it."
        )
        for each in (0, 1)
    )
    if len(after.rounds) < config.rounds:
        return after, Outcome("round", told)
    winner = None if now[0] == now[1] else int(now[1] > now[0])
    told = tuple(
        f"{text}\nThe game ends {now[each]} to {now[1 - each]}: "
        + ("a draw." if winner is None else f"you {'win' if winner == each else 'lose'}.")
        for each, text in enumerate(told)
    )
    winners = () if winner is None else (winner,)
    return after, Outcome("over", told, zero_sum(winner), over=True, winners=winners)


def legal_moves(config: Config, state: State) -> tuple[str, ...]:
    """Return the three choices."""
    return CHOICES


# -- wording ----------------------------------------------------------------------------------


def rules(config: Config, seat: int) -> str:
    """Return the text that opens the episode."""
    return (
        f"Rock, paper, scissors over {count_of(config.rounds, 'round')}: two players choose at the "
        "same time. Paper beats rock, scissors beat paper, rock beats scissors. Who has won more "
        f"rounds in the end wins. You are player_{seat}."
    )


def form(config: Config, state: State, seat: int) -> str:
    """Return the form of an action."""
    return "give \\boxed{rock}, \\boxed{paper} or \\boxed{scissors}."


def view(config: Config, state: State, seat: int) -> str:
    """Return the score."""
    own, other = scores(state)[:: 1 if seat == 0 else -1]
    left = count_of(config.rounds - len(state.rounds), "round")
    return f"You have won {own}, the other player {other}; {left} left."


def redealt(config: Config, state: State, seat: int, rng: np.random.Generator) -> State | None:
    """Let the first player have chosen otherwise."""
    if seat != 0 or not state.chosen:
        return None
    return state._replace(chosen=(CHOICES[(CHOICES.index(state.chosen[0]) + 1) % 3],))


class RockPaperScissorsEnv(TextAEC[Config, State, str]):
    r"""Rounds of rock, paper, scissors, two players who choose at the same time.

    ## Action Space
    ``UnicodeText``: any reply; the word in its last ``\boxed{}``: ``rock``, ``paper`` or
    ``scissors``.

    ## Observation Space
    ``Dict(text=UnicodeText)``: the rules until the player has chosen, the last round, the score.
    The second to choose is shown nothing of the first's choice.

    ## Rewards
    1 for a win, -1 for a loss, 0 for a draw, at the end; they add up to 0.

    ## Episode End
    Terminated by the last round, or a reply that used a player's last try.

    ## Information
    ``event``: ``chosen``, ``round``, ``over``, ``unknown``; see
    :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## Arguments
    See :class:`Config`; and those of :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## References
    The classic game; the wording is our own.

    ## Version History
    v0: first release.
    """

    name = "rock_paper_scissors"
    config_type = Config
    state_type = State
    events = EVENTS
    simultaneous = True

    deal = staticmethod(deal)
    to_move = staticmethod(to_move)
    rules = staticmethod(rules)
    form = staticmethod(form)
    view = staticmethod(view)
    parse = staticmethod(boxed_word)
    write = staticmethod(boxed)
    play = staticmethod(play)
    legal_moves = staticmethod(legal_moves)
    redealt = staticmethod(redealt)


env = raw_env = RockPaperScissorsEnv
parallel_env = parallel(RockPaperScissorsEnv)
