r"""Word Search: find listed words that stand in a grid of letters.

Reads top to bottom: config, state, rules, wording, env. Only the last part knows gymnasium.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.grid import draw_grid
from gem_gymnasium.core.parsing import last_boxed, to_ints
from gem_gymnasium.core.rewards import share
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.core.wording import count_of
from gem_gymnasium.games.word_search_grid import STEPS, Line, hide

EVENTS = ("found", "solved", "wrong", "repeated", "no_line", "out_of_bounds")

SIZES = range(6, 16)
WORD_LETTERS = range(3, 13)
MOST_WORDS = 16
"""More words of three letters would hardly ever stand in a large grid but once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Find ``words`` words in a size x size grid within max_turns replies.

    ``directions`` is in how many ways a word may run: 2 (right, down), 4 (also diagonally down and
    up to the right) or 8 (also each of these backwards). Words have ``min_length`` to
    ``max_length`` letters.
    """

    words: int = 5
    size: int = 10
    directions: int = 4
    min_length: int = 4
    max_length: int = 8
    max_turns: int = 20

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            raise ConfigError(f"size must be in {SIZES[0]}..{SIZES[-1]}, got {self.size}")
        if self.directions not in STEPS:
            raise ConfigError(f"directions must be 2, 4 or 8, got {self.directions}")
        longest = min(self.size, WORD_LETTERS[-1])
        if not WORD_LETTERS[0] <= self.min_length <= self.max_length <= longest:
            raise ConfigError(
                f"need {WORD_LETTERS[0]} <= min_length <= max_length <= {longest}, "
                f"got {self.min_length}, {self.max_length}"
            )
        most = min(MOST_WORDS, self.size**2 // (2 * self.max_length))
        if not 1 <= self.words <= most:
            raise ConfigError(
                f"words of up to {self.max_length} letters must be 1..{most} for size {self.size}, "
                f"got {self.words}"
            )
        if self.max_turns < self.words:
            raise ConfigError(
                f"max_turns must be at least the {self.words} words, got {self.max_turns}"
            )


RANDOM_CONFIGS = (
    Config(size=8, directions=2, max_length=6),
    Config(size=12, directions=8, min_length=7, max_length=10),
)
"""GEM's random variant: the easy game or the hard one."""


class State(NamedTuple):
    """The grid's rows, the words (upper case), where each stands, and which are found."""

    rows: tuple[str, ...]
    words: tuple[str, ...]
    lines: tuple[Line, ...]
    found: tuple[bool, ...]


# -- rules ------------------------------------------------------------------------------------


def deal(config: Config, rng: np.random.Generator) -> State:
    """Hide words in a grid, each of which then stands there once, read in any direction."""
    lengths = range(config.min_length, config.max_length + 1)
    rows, places = hide(config.words, config.size, config.directions, lengths, rng)
    words, lines = zip(*sorted(places.items()), strict=True)
    return State(rows, words, lines, (False,) * config.words)


def is_line(config: Config, line: Line) -> bool:
    """Return whether two cells of the grid are the ends of a line that words can run along."""
    down, right = abs(line[2] - line[0]), abs(line[3] - line[1])
    return (down == 0) != (right == 0) or (down == right != 0 and config.directions > 2)


def read(rows: tuple[str, ...], line: Line) -> str:
    """Return the letters along a line."""
    top, left, bottom, right = line
    down, across = (bottom > top) - (bottom < top), (right > left) - (right < left)
    count = max(abs(bottom - top), abs(right - left)) + 1
    return "".join(rows[top - 1 + i * down][left - 1 + i * across] for i in range(count))


def play(config: Config, state: State, move: Line) -> tuple[State, Outcome]:
    """Mark one line (row and column of its ends, from 1); all words found pay 1 in total."""
    line, size, (rows, words, lines, found) = move, config.size, state
    if not 1 <= min(line) <= max(line) <= size:
        feedback = f"Rows and columns go from 1 to {size}."
        return state, Outcome("out_of_bounds", feedback, legal=False)
    if not is_line(config, line):
        kinds = "row or column" if config.directions == 2 else "row, column or diagonal"
        feedback = f"Two different cells of one {kinds} are needed."
        return state, Outcome("no_line", feedback, legal=False)
    if line not in lines:
        top, left, bottom, right = line
        line = bottom, right, top, left
    if line not in lines:
        feedback = f"{said(move)} reads {read(rows, move)}: not a listed word."
        return state, Outcome("wrong", feedback)
    at = lines.index(line)
    if found[at]:
        feedback = f"{words[at]} was found before."
        return state, Outcome("repeated", feedback, legal=False)
    before = sum(found)
    reward = share(before + 1, len(words)) - share(before, len(words))
    state = State(rows, words, lines, (*found[:at], True, *found[at + 1 :]))
    if before + 1 == len(words):
        feedback = f"{words[at]} is found. That is all of them: you win."
        return state, Outcome("solved", feedback, reward, over=True, success=True)
    return state, Outcome("found", f"{words[at]} is found.", reward)


def legal_move(config: Config, state: State, rng: np.random.Generator) -> Line:
    """Draw the ends of a line on which no word was found, uniform over the ordered pairs."""
    found = [line for line, done in zip(state.lines, state.found, strict=True) if done]
    while True:
        top, left, bottom, right = rng.integers(1, config.size, 4, endpoint=True).tolist()
        line = top, left, bottom, right
        if is_line(config, line) and line not in found and (bottom, right, top, left) not in found:
            return line


def progress(config: Config, state: State) -> float:
    """Return the share of the words that are found."""
    return sum(state.found) / len(state.words)


def optimal_turns(config: Config, state: State) -> int:
    """Return the number of words."""
    return len(state.words)


# -- wording ----------------------------------------------------------------------------------

_WAYS = {
    2: "to the right or down",
    4: "to the right, down, or diagonally down or up to the right",
    8: "in any of the eight directions, also backwards",
}


_draw_once = lru_cache(maxsize=1_024)(draw_grid)  # a grid stays the same throughout its episode


def said(line: Line) -> str:
    """Return how a line is named."""
    return f"Row {line[0]}, column {line[1]} to row {line[2]}, column {line[3]}"


def view(config: Config, state: State) -> str:
    """Return the grid, each row after its number, and the words with those found marked."""
    words = [
        f"{word} (found)" if done else word
        for word, done in zip(state.words, state.found, strict=True)
    ]
    return f"{_draw_once(state.rows)}\nWords: {', '.join(words)}."


def form(config: Config) -> str:
    """Return the form of an action."""
    return "mark one word by its first and last letter as \\boxed{row column row column}."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    turns = count_of(config.max_turns, "turn")
    words = count_of(config.words, "listed word")
    return (
        f"Word search: find the {words} in the grid within {turns}. "
        "Rows count from the top, columns from the left. A word stands in a straight line, "
        f"{_WAYS[config.directions]}; words may share letters. Each listed word stands in the grid "
        "once; you may start from either of its ends.\n"
        f"Each turn, {form(config)}"
    )


def parse(reply: str) -> Line | None:
    r"""Return the four integers in the last ``\boxed{}``, or None."""
    line = to_ints(last_boxed(reply))
    if line is None or len(line) != 4:
        return None
    return line[0], line[1], line[2], line[3]


def write(move: Line) -> str:
    """Return the reply that marks a line."""
    return f"\\boxed{{{' '.join(map(str, move))}}}"


class WordSearchEnv(TextEnv[Config, State, Line]):
    r"""Find listed words that stand in a grid of letters.

    ## Action Space
    ``UnicodeText``: any reply; the last ``\boxed{}`` holds the row and column of a word's first
    letter and of its last (or the other way round), each from 1, parted by white space or commas.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then what the last move did; the grid and the words, with
    those found marked; the turns left.

    ## Rewards
    1 / (number of words) for each word found, 1 in total; 0 for any other line, -0.1 for a reply
    that holds no four integers. The return lies in [-0.1, 1]; with ``on_malformed="continue"`` in
    [-0.1 * max_turns, 1].

    ## Episode End
    Terminated by the last word, the last turn, or (``on_malformed="end"``) a malformed reply.

    ## Information
    ``event``: ``found``, ``solved``; legal but no listed word: ``wrong``; illegal: ``repeated``
    (the word was found before, from either end), ``no_line`` (the ends are one cell, or lie on no
    line along which words can run), ``out_of_bounds``; ``malformed``. ``progress`` is the share of
    words found, ``optimal_turns`` their number.

    ## Arguments
    ``words`` (how many), ``size``, ``directions`` (2, 4 or 8), ``min_length``, ``max_length``,
    ``max_turns``: see :class:`Config`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    TextArena's game as adapted by GEM (arXiv 2510.01051), where the words are not listed and words
    run right and down only; the grids, the words and the wording are our own.

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
    optimal_turns = staticmethod(optimal_turns)
