r"""Wordle: find a hidden word from what each guess has in place and what out of place.

Reads top to bottom: config, state, rules, wording, env. Only the last part knows gymnasium. Words
are in lower case everywhere but in what the player reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed, to_word
from gem_gymnasium.core.rewards import share
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.core.wording import count_of, spell
from gem_gymnasium.data import all_words, word_set, words

EVENTS = ("marks", "correct", "wrong_length", "not_a_word", "repeated")

SHORTEST, LONGEST = 3, 12
"""The lengths of the words in the list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Find a word of ``length`` letters within max_turns replies."""

    length: int = 5
    max_turns: int = 6

    def __post_init__(self) -> None:
        if not SHORTEST <= self.length <= LONGEST:
            raise ConfigError(f"length must be in {SHORTEST}..{LONGEST}, got {self.length}")
        if self.max_turns < 1:
            raise ConfigError(f"max_turns must be at least 1, got {self.max_turns}")


RANDOM_CONFIGS = tuple(Config(length=length, max_turns=5 * length) for length in (3, 4, 5))
"""GEM's random variant."""


class State(NamedTuple):
    """The hidden word, the guesses that counted, and for each letter whether one had it in place.

    ``found`` is a string as long as the word: ``G`` for such a letter, ``-`` for any other.
    """

    word: str
    found: str
    guesses: tuple[str, ...] = ()


# -- rules ------------------------------------------------------------------------------------


def deal(config: Config, rng: np.random.Generator) -> State:
    """Hide a word, uniform over the common ones."""
    secrets = words(config.length)
    return State(secrets[int(rng.integers(len(secrets)))], "-" * config.length)


def marks(word: str, guess: str) -> str:
    """Return the mark of each letter of a guess, a string as long as the word.

    ``G``: in place. ``Y``: out of place; each letter of the word that no G took yields at most one,
    to the guess's letters from left to right. ``-``: any other.
    """
    given, rest = ["-"] * len(word), ""
    for place, letter in enumerate(word):
        if letter in guess:
            if guess[place] == letter:
                given[place] = "G"
            else:
                rest += letter
    for letter in rest:
        place = guess.find(letter)
        while place >= 0 and given[place] != "-":
            place = guess.find(letter, place + 1)
        if place >= 0:
            given[place] = "Y"
    return "".join(given)


def play(config: Config, state: State, guess: str) -> tuple[State, Outcome]:
    """Apply one guess; a solved game's rewards add up to 1."""
    word, found, guesses = state
    if guess in guesses or guess not in word_set(config.length):
        return state, _refuse(config, state, guess)
    guesses = (*guesses, guess)
    if guess == word:
        feedback = f"The word is {word.upper()}: you win."
        reward = (1.0 - share(found.count("G"), len(word))) / 2 + 0.5
        outcome = Outcome("correct", feedback, reward, over=True, success=True)
        return State(word, "G" * len(word), guesses), outcome
    found, reward, given = _add_found(found, marks(word, guess))
    feedback = f"Guess: {spell(guess)}\nMarks: {given}"
    return State(word, found, guesses), Outcome("marks", feedback, reward)


def _refuse(config: Config, state: State, guess: str) -> Outcome:
    """Say why a guess does not count."""
    if len(guess) != config.length:
        feedback = f"The word has {config.length} letters, the guess had {len(guess)}."
        return Outcome("wrong_length", feedback, legal=False)
    if guess in state.guesses:
        return Outcome("repeated", f"{guess.upper()} was guessed before.", legal=False)
    return Outcome("not_a_word", f"{guess.upper()} is not in the list of words.", legal=False)


@lru_cache(maxsize=8192)  # of five letters there are at most 32 * 243 calls
def _add_found(found: str, given: str) -> tuple[str, float, str]:
    """Return ``found`` with the letters in place now, what the new ones pay, the marks spaced."""
    after = "".join(["G" if "G" in pair else "-" for pair in zip(found, given, strict=True)])
    length = len(found)
    paid = (share(after.count("G"), length) - share(found.count("G"), length)) / 2
    return after, paid, " ".join(given)


def legal_move(config: Config, state: State, rng: np.random.Generator) -> str:
    """Draw a word that was not guessed yet; there is one while the game runs."""
    every = all_words(config.length)
    while (guess := every[int(rng.integers(len(every)))]) in state.guesses:
        pass
    return guess


def progress(config: Config, state: State) -> float:
    """Return half the share of the letters found in place, plus half for the word itself."""
    found = state.found.count("G") / config.length
    return found / 2 if found < 1.0 else (1.0 + (state.guesses[-1] == state.word)) / 2


# -- wording ----------------------------------------------------------------------------------


def form(config: Config) -> str:
    """Return the form of an action."""
    return f"put one word of {config.length} letters in \\boxed{{}}."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    turns = count_of(config.max_turns, "turn")
    return (
        f"Wordle: find a hidden, common English word of {config.length} letters within "
        f"{turns}. Each guess must be an English word, too; plurals and other "
        "forms are words, names are not. Under each letter of your guess you get a mark: G, the "
        "letter is in the right place; Y, it is in the word, but in another place; -, it is not "
        "in the word, or not as many times as in your guess.\n"
        f"Each turn, {form(config)}"
    )


def parse(reply: str) -> str | None:
    r"""Return the word in the last ``\boxed{}`` in lower case, or None."""
    return to_word(last_boxed(reply))


def write(move: str) -> str:
    """Return the reply that makes a guess."""
    return f"\\boxed{{{move}}}"


class WordleEnv(TextEnv[Config, State, str]):
    r"""Find a hidden word from what each guess has in place and what out of place.

    ## Action Space
    ``UnicodeText``: any reply; the letters a to z in its last ``\boxed{}``, in either case, with or
    without spaces between them, are the guess.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then the last guess, letters spaced, over its marks; and
    the turns left.

    ## Rewards
    0.5 / length for each letter that is in place for the first time, and 0.5 for the word: 1 in
    total over a solved game. A refused guess pays 0, a reply without a word -0.1. The return lies
    in [-0.1, 1]; with ``on_malformed="continue"`` in [-0.1 * max_turns, 1].

    ## Episode End
    Terminated by the word, the last turn, or (``on_malformed="end"``) a malformed reply.

    ## Information
    ``event``: ``marks``, ``correct``; refused: ``wrong_length``, ``not_a_word`` (the list of words
    does not have it), ``repeated``; ``malformed``. ``progress`` is what was paid so far.
    ``optimal_turns`` is -1: what an optimal player needs depends on luck.

    ## Arguments
    ``length``, ``max_turns``: see :class:`Config`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    The newspaper game as adapted by TextArena and GEM (arXiv 2510.01051); the wording is our own.
    The words are SCOWL's (``data/SOURCES.md``): common ones are hidden, rare ones are guesses too.

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
