r"""Guess the Number: find a hidden integer from higher/lower hints.

Reads top to bottom: config, state, rules, wording, env. Only the last part knows gymnasium.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed, to_int
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.core.wording import count_of

LARGEST = 10**15
"""Bound on the numbers: well below the longest integer that a reply can hold."""

EVENTS = ("low", "high", "correct", "repeated", "out_of_range")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Guess an integer in [low, high] (both included) within max_turns replies.

    ``near_miss`` pays ``1 - |guess - target| / (high - low)`` when the last turn misses, as GEM
    does; it is off by default since it pays a blind player two thirds of a win.
    """

    low: int = 1
    high: int = 20
    max_turns: int = 20
    near_miss: bool = False

    def __post_init__(self) -> None:
        for name, bound in (("low", self.low), ("high", self.high)):
            if abs(bound) > LARGEST:
                raise ConfigError(f"{name} must be within +-{LARGEST}, got {bound}")
        if self.low >= self.high:
            raise ConfigError(f"low must be below high, got low={self.low}, high={self.high}")
        if self.max_turns < 1:
            raise ConfigError(f"max_turns must be at least 1, got {self.max_turns}")


RANDOM_CONFIGS = tuple(
    Config(low=low, high=low + span, max_turns=ceil(sqrt(span)) + 1)
    for low in range(1, 11)
    for span in range(5, 51)
)
"""GEM's random variant: low in 1..10, a span of 5..50, and turns that grow with the span."""


class State(NamedTuple):
    """The hidden target, what the hints leave open, and the guesses that counted."""

    target: int
    low: int
    high: int
    guesses: tuple[int, ...] = ()


# -- rules ------------------------------------------------------------------------------------


def deal(config: Config, rng: np.random.Generator) -> State:
    """Hide a target, uniform over the range."""
    target = int(rng.integers(config.low, config.high, endpoint=True))
    return State(target, config.low, config.high)


def play(config: Config, state: State, guess: int) -> tuple[State, Outcome]:
    """Apply one guess."""
    target, low, high, guesses = state
    if not config.low <= guess <= config.high:
        feedback = f"{guess} is outside {config.low} to {config.high}."
        return state, Outcome("out_of_range", feedback, legal=False)
    if guess in guesses:
        return state, Outcome("repeated", f"{guess} was guessed before.", legal=False)
    guesses = (*guesses, guess)
    if guess < target:
        outcome = Outcome("low", f"The number is higher than {guess}.")
        return State(target, low if low > guess else guess + 1, high, guesses), outcome
    if guess > target:
        outcome = Outcome("high", f"The number is lower than {guess}.")
        return State(target, low, high if high < guess else guess - 1, guesses), outcome
    feedback = f"The number is {guess}: you win."
    won = State(target, target, target, guesses)
    return won, Outcome("correct", feedback, 1.0, over=True, success=True)


def near_miss(config: Config, state: State, guess: int) -> float:
    """Return GEM's pay for a last guess that missed."""
    if not config.near_miss or not config.low <= guess <= config.high:
        return 0.0
    return 1.0 - abs(guess - state.target) / (config.high - config.low)


def progress(config: Config, state: State) -> float:
    """Return the share of wrong numbers that the hints have ruled out."""
    return 1.0 - (state.high - state.low) / (config.high - config.low)


def optimal_turns(config: Config, state: State) -> int:
    """Return the turns bisection needs for the least lucky target."""
    return (config.high - config.low + 1).bit_length()


def legal_move(config: Config, state: State, rng: np.random.Generator) -> int:
    """Draw a number of the range that was not guessed yet."""
    while True:  # there is one left: the target, or the episode would be over
        number = int(rng.integers(config.low, config.high, endpoint=True))
        if number not in state.guesses:
            return number


# -- wording ----------------------------------------------------------------------------------


def form(config: Config) -> str:
    """Return the form of an action."""
    return "give your guess as \\boxed{number}."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    turns = count_of(config.max_turns, "turn")
    return (
        f"Guess the Number: find a hidden integer from {config.low} to {config.high} (both "
        f"included) within {turns}. After each guess you learn whether the "
        f"number is higher or lower.\nEach turn, {form(config)}"
    )


def parse(reply: str) -> int | None:
    r"""Return the integer in the last ``\boxed{}``, or None; 0 and -3 are integers."""
    return to_int(last_boxed(reply))


def write(move: int) -> str:
    """Return the reply that makes a guess."""
    return f"\\boxed{{{move}}}"


class GuessTheNumberEnv(TextEnv[Config, State, int]):
    r"""Find a hidden integer from higher/lower hints.

    ## Action Space
    ``UnicodeText``: any reply; the integer in its last ``\boxed{}`` is the guess.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then the hint; and the turns left.

    ## Rewards
    1 for the number, 0 for any other guess, -0.1 for a reply without a number. The return lies in
    [-0.1, 1]; with ``on_malformed="continue"`` in [-0.1 * max_turns, 1].

    ## Episode End
    Terminated by the right number, the last turn, or (``on_malformed="end"``) a malformed reply.

    ## Information
    ``event``: ``low``, ``high`` (what the guess was), ``correct``, ``repeated``, ``out_of_range``,
    ``malformed``. ``optimal_turns`` is bisection's worst case.

    ## Arguments
    ``low``, ``high``, ``max_turns``, ``near_miss``: see :class:`Config`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    TextArena's game as adapted by GEM (arXiv 2510.01051); the wording is our own.

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
    parse = staticmethod(parse)
    write = staticmethod(write)
    play = staticmethod(play)
    last_turn_reward = staticmethod(near_miss)
    legal_move = staticmethod(legal_move)
    progress = staticmethod(progress)
    optimal_turns = staticmethod(optimal_turns)
