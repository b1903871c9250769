r"""Mastermind: find a hidden code of digits from black and white pegs.

Reads top to bottom: config, state, rules, wording, env. Only the last part knows gymnasium.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import eq
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed, to_ints
from gem_gymnasium.core.rewards import share
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.core.wording import count_of

EVENTS = ("pegs", "correct", "repeated", "out_of_range", "wrong_length", "duplicate")

MAX_DIGIT = 9
"""The largest digit: one character each, so that a code reads as digits and not as numbers."""


_PLACES = "abcdefghi"
_ALLOWED = {n: frozenset(range(1, n + 1)) for n in range(2, MAX_DIGIT + 1)}
_SAID = {n: " ".join(["%d"] * n) for n in range(2, len(_PLACES) + 1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Find a code of ``length`` digits, each from 1 to ``digits``, within max_turns replies.

    ``duplicates`` says whether a digit may stand in the code, and in a guess, more than once.
    """

    length: int = 4
    digits: int = 6
    duplicates: bool = False
    max_turns: int = 20

    def __post_init__(self) -> None:
        if not 2 <= self.length <= len(_PLACES):
            raise ConfigError(f"length must be in 2..{len(_PLACES)}, got {self.length}")
        if not 2 <= self.digits <= MAX_DIGIT:
            raise ConfigError(f"digits must be in 2..{MAX_DIGIT}, got {self.digits}")
        if not self.duplicates and self.digits < self.length:
            raise ConfigError(
                f"without duplicates, digits must be at least length, "
                f"got digits={self.digits}, length={self.length}"
            )
        if self.max_turns < 1:
            raise ConfigError(f"max_turns must be at least 1, got {self.max_turns}")


RANDOM_CONFIGS = (
    Config(length=2, digits=4, max_turns=10),
    Config(length=4, digits=6, max_turns=20),
    Config(length=4, digits=8, max_turns=30),
)
"""GEM's random variant."""

Code = tuple[int, ...]


class State(NamedTuple):
    """The hidden code, the guesses that counted, and the most black pegs one of them had."""

    code: Code
    guesses: tuple[Code, ...] = ()
    best: int = 0


# -- rules ------------------------------------------------------------------------------------


def deal(config: Config, rng: np.random.Generator) -> State:
    """Hide a code, uniform over those the rules allow."""
    return State(_draw_code(config, rng))


def _draw_code(config: Config, rng: np.random.Generator) -> Code:
    """Draw a code, uniform over those the rules allow."""
    if config.duplicates:
        return tuple(rng.integers(1, config.digits, size=config.length, endpoint=True).tolist())
    return tuple((rng.permutation(config.digits)[: config.length] + 1).tolist())


def pegs(code: Code, guess: Code) -> tuple[int, int]:
    """Return the black pegs (right digit, right place) and the white ones (wrong place).

    Each digit of the code pairs with at most one of the guess, black pairs first, so that blacks
    and whites together are the size of the two multisets' intersection.
    """
    black = sum(map(eq, code, guess))
    digits = {*guess}
    if len(digits) == len(guess):  # each digit once: the usual game, and the faster count
        return black, len(digits.intersection(code)) - black
    return black, sum(min(code.count(digit), guess.count(digit)) for digit in digits) - black


def play(config: Config, state: State, guess: Code) -> tuple[State, Outcome]:
    """Apply one guess; a solved game's rewards add up to 1."""
    length = config.length
    if len(guess) != length:
        feedback = f"The code has {length} digits, the guess had {len(guess)}."
        return state, Outcome("wrong_length", feedback, legal=False)
    digits = {*guess}
    if not digits <= _ALLOWED[config.digits]:
        digit = next(digit for digit in guess if not 1 <= digit <= config.digits)
        feedback = f"{digit} is outside 1 to {config.digits}."
        return state, Outcome("out_of_range", feedback, legal=False)
    said = _SAID[length] % guess
    if len(digits) < length and not config.duplicates:
        feedback = f"{said} holds a digit twice, which the code does not."
        return state, Outcome("duplicate", feedback, legal=False)
    code, guesses, best = state
    if guess in guesses:
        return state, Outcome("repeated", f"{said} was guessed before.", legal=False)
    black, white = pegs(code, guess)
    reward = 0.0
    if black > best:
        reward = share(black, length) - share(best, length)
        best = black
    state = State(code, (*guesses, guess), best)
    if black == length:
        feedback = f"The code is {said}: you win."
        return state, Outcome("correct", feedback, reward, over=True, success=True)
    return state, Outcome("pegs", f"{said}: {black} black, {white} white.", reward)


def legal_move(config: Config, state: State, rng: np.random.Generator) -> Code:
    """Draw a code that was not guessed yet; there is one while the game runs."""
    while (code := _draw_code(config, rng)) in state.guesses:
        pass
    return code


def progress(config: Config, state: State) -> float:
    """Return the share of the code that the best guess had in place."""
    return state.best / config.length


# -- wording ----------------------------------------------------------------------------------


def form(config: Config) -> str:
    """Return the form of an action."""
    return f"give your guess as \\boxed{{{' '.join(_PLACES[: config.length])}}}."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    turns = count_of(config.max_turns, "turn")
    repeats = "may repeat" if config.duplicates else "all differ"
    return (
        f"Mastermind: find a hidden code of {config.length} digits from 1 to {config.digits} "
        f"within {turns}. The digits {repeats}. After each guess you learn its "
        "black pegs (digits in the right place) and white pegs (digits of the code in the wrong "
        f"place).\nEach turn, {form(config)}"
    )


def parse(reply: str) -> Code | None:
    r"""Return the digits in the last ``\boxed{}``, parted by white space or commas, or None."""
    return to_ints(last_boxed(reply))


def write(move: Code) -> str:
    """Return the reply that makes a guess."""
    return f"\\boxed{{{' '.join(map(str, move))}}}"


class MastermindEnv(TextEnv[Config, State, Code]):
    r"""Find a hidden code of digits from black and white pegs.

    ## Action Space
    ``UnicodeText``: any reply; the integers in its last ``\boxed{}``, parted by white space or
    commas, are the guess.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then the last guess's pegs; and the turns left.

    ## Rewards
    ``max(0, black - best) / length``, where ``best`` is the most black pegs of an earlier guess: 1
    in total over a solved game. A refused guess pays 0, a reply without integers -0.1. The return
    lies in [-0.1, 1]; with ``on_malformed="continue"`` in [-0.1 * max_turns, 1].

    ## Episode End
    Terminated by the code, the last turn, or (``on_malformed="end"``) a malformed reply.

    ## Information
    ``event``: ``pegs``, ``correct``; refused: ``repeated``, ``out_of_range``, ``wrong_length``,
    ``duplicate`` (only without ``duplicates``); ``malformed``. ``progress`` is the best share of
    black pegs so far. ``optimal_turns`` is -1: what an optimal player needs is not known.

    ## Arguments
    ``length``, ``digits``, ``duplicates``, ``max_turns``: see :class:`Config`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    The board game as adapted by TextArena and GEM (arXiv 2510.01051); the wording is our own.

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
    legal_move = staticmethod(legal_move)
    progress = staticmethod(progress)
