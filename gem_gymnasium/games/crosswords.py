r"""Crosswords: find words that cross on a grid from their clues.

Reads top to bottom: config, state, rules, wording, env. Only the last part knows gymnasium. Rows
and columns count from 0 in the state and from 1 in texts and moves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.grid import draw_grid
from gem_gymnasium.core.parsing import last_boxed
from gem_gymnasium.core.rewards import share
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.games import crosswords_grid as grid
from gem_gymnasium.games.crosswords_grid import BLOCK, EMPTY, Board, Entry, Place

EVENTS = (
    "right", "solved", "wrong", "conflict", "filled", "wrong_length", "no_entry", "out_of_bounds",
    "wrong_form",
)  # fmt: skip

WORDS = range(2, 9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Find ``words`` crossing words within max_turns replies.

    ``vocabulary`` is "basic", "common" or "rare"; words have ``min_length`` to ``max_length``
    letters. With ``feedback="word"`` a reply answers a clue as a whole, with "letter" one cell.
    """

    words: int = 5
    vocabulary: str = "common"
    min_length: int = 3
    max_length: int = 7
    feedback: str = "word"
    max_turns: int = 60

    def __post_init__(self) -> None:
        if self.words not in WORDS:
            raise ConfigError(f"words must be in {WORDS[0]}..{WORDS[-1]}, got {self.words}")
        if self.vocabulary not in grid.VOCABULARIES:
            names = ", ".join(grid.VOCABULARIES)
            raise ConfigError(f"vocabulary must be one of {names}, got {self.vocabulary!r}")
        if self.feedback not in ("word", "letter"):
            raise ConfigError(f"feedback must be 'word' or 'letter', got {self.feedback!r}")
        if not 3 <= self.min_length <= self.max_length <= 9:
            lengths = f"{self.min_length}, {self.max_length}"
            raise ConfigError(f"need 3 <= min_length <= max_length <= 9, got {lengths}")
        # Cells: each word but the first shares one, at least.
        cells = self.words * (self.max_length - 1) + 1
        most = self.words if self.feedback == "word" else cells
        if self.max_turns < most:
            raise ConfigError(f"max_turns must be at least {most} here, got {self.max_turns}")


RANDOM_CONFIGS = (
    Config(words=3, vocabulary="basic", max_turns=20),
    Config(words=3, vocabulary="rare", min_length=6, max_length=9, max_turns=20),
)
"""GEM's random variant: easy or hard words, in 20 turns, which whole answers can do."""

Move = tuple[int, str, str] | tuple[int, int, str]
"""Number, "across" or "down" and answer; or (``feedback="letter"``) row, column and letter."""


class State(NamedTuple):
    """What is shown; the solution; the entries, and which are open; steps to do in all, and left.

    A step is an entry, with ``feedback="letter"`` a cell.
    """

    board: Board
    solution: Board
    entries: tuple[Entry, ...]
    open: tuple[bool, ...]
    total: int
    left: int


# -- rules ------------------------------------------------------------------------------------


def deal(config: Config, rng: np.random.Generator) -> State:
    """Draw words and lay them out."""
    words = grid.words_of(config.vocabulary, config.min_length, config.max_length)
    solution, places = grid.lay_out(words, config.words, rng)
    board = tuple(re.sub("[A-Z]", EMPTY, row) for row in solution)
    steps = config.words if config.feedback == "word" else "".join(board).count(EMPTY)
    return State(board, solution, grid.number(places), (True,) * config.words, steps, steps)


def play(config: Config, state: State, move: Move) -> tuple[State, Outcome]:
    """Apply one answer; a solved game's rewards add up to 1."""
    first, second, text = move
    if isinstance(second, int):
        if config.feedback == "letter":
            return play_letter(state, first, second, text)
    elif config.feedback == "word":
        return play_word(state, first, second == "down", text)
    return state, Outcome("wrong_form", form(config).capitalize(), legal=False)


def play_word(state: State, number: int, down: bool, answer: str) -> tuple[State, Outcome]:
    """Judge the answer to a clue as a whole."""
    name = f"{number} {'down' if down else 'across'}"
    at = next((i for i, entry in enumerate(state.entries) if entry[:2] == (number, down)), None)
    if at is None:
        return state, Outcome("no_entry", f"There is no {name}.", legal=False)
    _, _, row, column, word, _ = state.entries[at]
    if not state.open[at]:
        return state, Outcome("filled", f"{name} is filled: {word}.", legal=False)
    if len(answer) != len(word):
        feedback = f"{name} has {len(word)} letters, the answer had {len(answer)}."
        return state, Outcome("wrong_length", feedback, legal=False)
    place = Place(row, column, down)
    if answer != word:
        there = grid.shown(state.board, place, len(word))
        if any(a not in (b, EMPTY) for a, b in zip(there, answer, strict=True)):
            feedback = f"{answer} does not fit the letters of {name}."
            return state, Outcome("conflict", feedback)
        return state, Outcome("wrong", f"{answer} is wrong for {name}.")
    return fill(state, place, word, f"{word} is right for {name}")


def play_letter(state: State, row: int, column: int, letter: str) -> tuple[State, Outcome]:
    """Judge one letter."""
    board = state.board
    if not (1 <= row <= len(board) and 1 <= column <= len(board[0])):
        feedback = f"Rows go from 1 to {len(board)}, columns from 1 to {len(board[0])}."
        return state, Outcome("out_of_bounds", feedback, legal=False)
    name = f"row {row}, column {column}"
    there = board[row - 1][column - 1]
    if there == BLOCK:
        return state, Outcome("no_entry", f"No word runs through {name}.", legal=False)
    if there != EMPTY:
        return state, Outcome("filled", f"{there} stands at {name}.", legal=False)
    if letter != state.solution[row - 1][column - 1]:
        return state, Outcome("wrong", f"{letter} is wrong for {name}.")
    place = Place(row - 1, column - 1, False)
    return fill(state, place, letter, f"{letter} is right for {name}")


def fill(state: State, place: Place, letters: str, said: str) -> tuple[State, Outcome]:
    """Write a right answer."""
    board, solution, entries, are_open, total, left = state
    reward = share(total - left + 1, total) - share(total - left, total)
    board = grid.put(board, place, letters)
    pairs = zip(entries, are_open, strict=True)
    are_open = tuple([is_open and grid.is_open(board, entry) for entry, is_open in pairs])
    state = State(board, solution, entries, are_open, total, left - 1)
    if state.left:
        return state, Outcome("right", f"{said}.", reward)
    feedback = f"{said}: the crossword is solved, you win."
    return state, Outcome("solved", feedback, reward, over=True, success=True)


def legal_move(config: Config, state: State, rng: np.random.Generator) -> Move:
    """Draw an open entry and a word of its length (of the vocabulary), or a cell and a letter."""
    if config.feedback == "letter":
        rows = enumerate(state.board, 1)
        cells = [(y, x) for y, row in rows for x, cell in enumerate(row, 1) if cell == EMPTY]
        row, column = cells[int(rng.integers(len(cells)))]
        return row, column, chr(65 + int(rng.integers(26)))
    entries = [entry for entry, is_open in zip(state.entries, state.open, strict=True) if is_open]
    number, down, _, _, word, _ = entries[int(rng.integers(len(entries)))]
    answers = grid.words_of(config.vocabulary, len(word), len(word))
    return number, "down" if down else "across", answers[int(rng.integers(len(answers)))]


def progress(config: Config, state: State) -> float:
    """Return the share of the entries (``feedback="letter"``: of the cells) that are filled."""
    return 1.0 - state.left / state.total


def optimal_turns(config: Config, state: State) -> int:
    """Return the number of entries, or of cells."""
    return state.total


# -- wording ----------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def list_clues(entries: tuple[Entry, ...], are_open: tuple[bool, ...]) -> str:
    """Return a line for each entry; kept for a while, since it seldom changes from turn to turn."""
    lines: list[str] = []
    for (number, down, row, column, word, clue), is_open in zip(entries, are_open, strict=True):
        start = f"{number} {'down' if down else 'across'} from row {row + 1}, column {column + 1}"
        what = f"{len(word)} letters: {clue}" if is_open else f"filled: {word}"
        lines.append(f"{start}, {what}")
    return "\n".join(lines)


def view(config: Config, state: State) -> str:
    """Return the grid, each row after its number, and the clues."""
    return f"{draw_grid(state.board)}\n{list_clues(state.entries, state.open)}"


def form(config: Config) -> str:
    """Return the form of an action."""
    if config.feedback == "letter":
        return "fill one cell as \\boxed{row column letter}."
    return "answer one clue as \\boxed{number direction word}, the direction across or down."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    what = "letter" if config.feedback == "letter" else "answer"
    return (
        f"Crossword: find {config.words} words from their clues within {config.max_turns} turns. "
        "Rows count from the top, columns from the left; an across word runs to the right, a down "
        f"word runs down. In the grid, {EMPTY} is a letter to find and {BLOCK} is outside all "
        f"words. A right {what} is written into the grid; a wrong one only costs its turn.\n"
        f"Each turn, {form(config)}"
    )


_WORD = re.compile(r"(?ai)\s*(\d{1,3})[\s,]+(across|down)[\s,:]+([a-z]{1,40})\s*")
_LETTER = re.compile(r"(?ai)\s*(\d{1,3})[\s,]+(\d{1,3})[\s,:]+([a-z])\s*")


def parse(reply: str) -> Move | None:
    r"""Return what the last ``\boxed{}`` answers (in any letter case), or None."""
    inside = last_boxed(reply)
    if inside is None or len(inside) > 200:
        return None
    if found := _WORD.fullmatch(inside):
        return int(found[1]), found[2].lower(), found[3].upper()
    if found := _LETTER.fullmatch(inside):
        return int(found[1]), int(found[2]), found[3].upper()
    return None


def write(move: Move) -> str:
    """Return the reply that makes a move."""
    return f"\\boxed{{{move[0]} {move[1]} {move[2]}}}"


class CrosswordsEnv(TextEnv[Config, State, Move]):
    r"""Find words that cross on a grid from their clues.

    ## Action Space
    ``UnicodeText``: any reply; the last ``\boxed{}`` holds the number of a clue, ``across`` or
    ``down``, and the word; with ``feedback="letter"`` the row and column of a cell, from 1, and
    its letter. They are parted by white space or commas; letter case does not matter.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then what the last answer did; the grid; the clues, each
    with its first cell and length, or with its word once filled; the turns left.

    ## Rewards
    1 / words for each right word (``feedback="letter"``: 1 / cells for each right letter), 1 in
    total over a solved crossword; 0 for any other answer, -0.1 for a reply that holds none. The
    return lies in [-0.1, 1]; with ``on_malformed="continue"`` in [-0.1 * max_turns, 1].

    ## Episode End
    Terminated by the last answer, the last turn, or (``on_malformed="end"``) a malformed reply.

    ## Information
    ``event``: ``right``, ``solved``; legal but not written: ``wrong``, ``conflict`` (it does not
    fit the letters on the grid); illegal: ``filled``, ``wrong_length``, ``no_entry`` (no such
    clue, or a cell outside all words), ``out_of_bounds`` (of a cell), ``wrong_form`` (a cell for a
    word or the reverse); ``malformed``. ``progress`` is the share of words (or cells) filled,
    ``optimal_turns`` their number.

    ## Arguments
    ``words`` (how many), ``vocabulary``, ``min_length``, ``max_length``, ``feedback``,
    ``max_turns``: see :class:`Config`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    TextArena's game as adapted by GEM (arXiv 2510.01051), there played letter by letter. Clues:
    WordNet 3.0 (``data/SOURCES.md``); the grids and the wording are our own.

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
