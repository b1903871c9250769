r"""Hangman: find a hidden word by guessing its letters.

Reads top to bottom: config, state, rules, wording, env. Only the last part knows gymnasium. Words
are in lower case everywhere but in what the player reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed, to_word
from gem_gymnasium.core.rewards import share
from gem_gymnasium.core.text_env import LOST, Outcome, TextEnv
from gem_gymnasium.core.wording import count_of, spell
from gem_gymnasium.data import words

EVENTS = ("hit", "solved", "miss", "wrong_word", "repeated", "wrong_length")

SHORTEST, LONGEST = 3, 12
"""The lengths of the words in the list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Find a word of ``length`` letters within max_turns replies.

    ``max_misses`` is the number of misses that loses the game; 0 is no limit.
    """

    length: int = 5
    max_turns: int = 20
    max_misses: int = 0

    def __post_init__(self) -> None:
        if not SHORTEST <= self.length <= LONGEST:
            raise ConfigError(f"length must be in {SHORTEST}..{LONGEST}, got {self.length}")
        if self.max_turns < 1:
            raise ConfigError(f"max_turns must be at least 1, got {self.max_turns}")
        if self.max_misses < 0:
            raise ConfigError(f"max_misses must be 0 (no limit) or more, got {self.max_misses}")


RANDOM_CONFIGS = (
    Config(length=3, max_turns=10),
    Config(length=5, max_turns=15),
    Config(length=7, max_turns=20),
)
"""GEM's random variant."""


class State(NamedTuple):
    """The hidden word, what is shown of it (``_``: not found), and the guesses that missed."""

    word: str
    shown: str
    misses: tuple[str, ...] = ()


# -- rules ------------------------------------------------------------------------------------


def deal(config: Config, rng: np.random.Generator) -> State:
    """Hide a word, uniform over the common ones."""
    secrets = words(config.length)
    return State(secrets[int(rng.integers(len(secrets)))], "_" * config.length)


def play(config: Config, state: State, guess: str) -> tuple[State, Outcome]:
    """Apply one guess, a letter or a word; a solved game's rewards add up to 1."""
    word, shown, misses = state
    length = len(word)
    if len(guess) != 1 and len(guess) != length:
        feedback = f"The word has {length} letters, the guess had {len(guess)}."
        return state, Outcome("wrong_length", feedback, legal=False)
    said = guess.upper()
    if guess in misses or guess in shown:
        return state, Outcome("repeated", f"{said} was guessed before.", legal=False)
    if guess in word:
        return uncover(state, guess)
    if len(guess) == 1:
        event, feedback = "miss", f"{said} is not in the word."
    else:
        event, feedback = "wrong_word", f"{said} is not the word."
    misses = (*misses, guess)
    lost = len(misses) == config.max_misses
    if lost:
        feedback = f"{feedback} That was the last miss.\n{LOST}"
    return State(word, shown, misses), Outcome(event, feedback, 0.0, True, lost)


def uncover(state: State, guess: str) -> tuple[State, Outcome]:
    """Show a letter of the word wherever it stands, or the word."""
    word, shown, misses = state
    length, hidden = len(word), shown.count("_")
    if len(guess) == 1:
        at = word.find(guess)
        while at >= 0:
            shown = f"{shown[:at]}{guess}{shown[at + 1 :]}"
            at = word.find(guess, at + 1)
        feedback = f"{guess.upper()} is in the word."
    else:
        shown, feedback = word, ""
    before = share(length - hidden, length)
    if shown == word:
        feedback = f"{feedback} The word is {word.upper()}: you win.".lstrip()
        outcome = Outcome("solved", feedback, (1.0 - before) / 2 + 0.5, over=True, success=True)
    else:
        reward = (share(length - shown.count("_"), length) - before) / 2
        outcome = Outcome("hit", feedback, reward)
    return State(word, shown, misses), outcome


def legal_move(config: Config, state: State, rng: np.random.Generator) -> str:
    """Draw a letter that was not guessed yet; there is one while the game runs.

    Words are left out: one drawn at random is next to never right.
    """
    letters = [x for x in ascii_lowercase if x not in state.shown and x not in state.misses]
    return letters[int(rng.integers(len(letters)))]


def progress(config: Config, state: State) -> float:
    """Return half the share of the letters that are shown, plus half for the word itself."""
    hidden = state.shown.count("_")
    return (1.0 - hidden / config.length + (hidden == 0)) / 2


# -- wording ----------------------------------------------------------------------------------


def view(config: Config, state: State) -> str:
    """Return the letters shown, the guesses that missed, and the misses left if they count."""
    missed = ", ".join(state.misses).upper() if state.misses else "none"
    text = f"Word: {spell(state.shown)}\nMissed: {missed}"
    if config.max_misses:
        return f"{text}\nMisses left: {config.max_misses - len(state.misses)}."
    return text


def form(config: Config) -> str:
    """Return the form of an action."""
    return f"put one letter, or one word of {config.length} letters, in \\boxed{{}}."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    turns = count_of(config.max_turns, "turn")
    most, limit = config.max_misses, ""
    if most:
        limit = " One miss loses the game." if most == 1 else f" {most} misses lose the game."
    return (
        f"Hangman: find a hidden, common English word of {config.length} letters within "
        f"{turns}. Guess a letter, and it is shown wherever it stands in the "
        "word (_ is a letter not found yet); or guess the whole word. A letter that is not in the "
        f"word, or a wrong word, is a miss.{limit} You win when every letter is shown or the word "
        f"is guessed.\nEach turn, {form(config)}"
    )


def parse(reply: str) -> str | None:
    r"""Return the letter or word in the last ``\boxed{}`` in lower case, or None."""
    return to_word(last_boxed(reply))


def write(move: str) -> str:
    """Return the reply that makes a guess."""
    return f"\\boxed{{{move}}}"


class HangmanEnv(TextEnv[Config, State, str]):
    r"""Find a hidden word by guessing its letters.

    ## Action Space
    ``UnicodeText``: any reply; the letters a to z in its last ``\boxed{}``, in either case, with or
    without spaces between them, are the guess: one letter, or the whole word.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then what the last guess did; the letters shown, the
    guesses that missed, the misses left if they are limited; the turns left.

    ## Rewards
    0.5 / length for each place that a letter or the word itself uncovers, and 0.5 for uncovering
    the last one: 1 in total over a solved game, whichever way. Any other guess pays 0, a reply
    without a word -0.1. The return lies in [-0.1, 1]; with ``on_malformed="continue"`` in
    [-0.1 * max_turns, 1].

    ## Episode End
    Terminated by the last letter, the word, the last miss (with ``max_misses``), the last turn, or
    (``on_malformed="end"``) a malformed reply.

    ## Information
    ``event``: ``hit``, ``solved``, ``miss`` (a letter), ``wrong_word``; refused: ``repeated``,
    ``wrong_length``; ``malformed``. ``progress`` is what was paid so far. ``optimal_turns`` is -1:
    what an optimal player needs depends on luck. ``sample_legal_action`` gives letters only.

    ## Arguments
    ``length``, ``max_turns``, ``max_misses``: see :class:`Config`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    The pencil game as adapted by TextArena and GEM (arXiv 2510.01051); the wording is our own. The
    words are the common ones of SCOWL (``data/SOURCES.md``).

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
    view = staticmethod(view)
    parse = staticmethod(parse)
    write = staticmethod(write)
    play = staticmethod(play)
    legal_move = staticmethod(legal_move)
    progress = staticmethod(progress)
