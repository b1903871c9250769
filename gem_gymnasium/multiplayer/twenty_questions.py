r"""Twenty questions: one knows a thing, the other finds it by questions; both win or lose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed, to_word
from gem_gymnasium.core.wording import count_of
from gem_gymnasium.multiplayer.game import Outcome, to_each
from gem_gymnasium.multiplayer.replies import boxed, said
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import parallel

THINGS = (
    "apple", "ant", "anchor", "axe", "bread", "bee", "bell", "bicycle", "book", "bottle", "bridge",
    "butter", "camel", "candle", "carrot", "cat", "chair", "cheese", "clock", "cloud", "coat",
    "cow", "crab", "cup", "dog", "door", "drum", "eagle", "elephant", "feather", "fish", "flute",
    "fork", "fox", "frog", "glove", "goat", "grape", "guitar", "hammer", "hat", "honey", "horse",
    "house", "key", "kite", "knife", "ladder", "lamp", "lemon", "lion", "map", "mirror", "monkey",
    "moon", "mouse", "nail", "needle", "nest", "onion", "orange", "owl", "pencil", "penguin",
    "piano", "pillow", "plate", "potato", "rabbit", "river", "rope", "rose", "sail", "salt", "saw",
    "scissors", "shark", "sheep", "ship", "shoe", "snail", "snake", "soap", "spider", "spoon",
    "star", "stone", "sugar", "table", "tent", "tiger", "tomato", "train", "tree", "trumpet",
    "turtle", "umbrella", "violin", "wheel", "whale", "window", "wolf", "zebra",
)  # fmt: skip

ANSWERS = ("yes", "no", "unsure")
EVENTS = ("ask", "wrong", "found", "answer", "over", "silent", "unknown", "not_now")
ASKER, ANSWERER = 0, 1


class Move(NamedTuple):
    """What is done (``ask``, an answer, or the thing that is guessed), and the question."""

    word: str
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Find the thing within ``questions`` questions and guesses, which count alike."""

    questions: int = 20
    max_turns: int = 1_000

    def __post_init__(self) -> None:
        if not 1 <= self.questions <= 100:
            raise ConfigError(f"questions must be from 1 to 100, got {self.questions}")
        if self.max_turns < 1:
            raise ConfigError(f"max_turns must be at least 1, got {self.max_turns}")


class State(NamedTuple):
    """The thing, how many questions and guesses were made, and the question that waits."""

    thing: str
    asked: int = 0
    question: str = ""


def deal(config: Config, rng: np.random.Generator) -> State:
    """Draw a thing."""
    return State(THINGS[int(rng.integers(len(THINGS)))])


def to_move(config: Config, state: State) -> int:
    """Return the answerer where a question waits."""
    return ANSWERER if state.question else ASKER


def play(config: Config, state: State, move: Move) -> tuple[State, Outcome]:
    """Ask, guess or answer."""
    if to_move(config, state) == ANSWERER:
        return _answer(config, state, move)
    if move.word == "ask":
        if not move.said:
            why = "A question must stand between <say> and </say>."
            return state, Outcome("silent", to_each(ASKER, why, ""), legal=False)
        after = state._replace(asked=state.asked + 1, question=move.said)
        told = to_each(ASKER, f"You ask: {move.said}", f"You are asked: {move.said}")
        return after, Outcome("ask", told)
    if move.word not in THINGS:
        why = f"{move.word!r} is none of the things."
        return state, Outcome("unknown", to_each(ASKER, why, ""), legal=False)
    after = state._replace(asked=state.asked + 1)
    head = to_each(ASKER, f"You guess {move.word}", f"The guess is {move.word}")
    if move.word == state.thing:
        told = tuple(f"{text}: right. Both win." for text in head)
        winners = (ASKER, ANSWERER)
        return after, Outcome("found", told, (1.0, 1.0), over=True, winners=winners)
    return after, _or_over(config, after, "wrong", tuple(f"{text}: wrong." for text in head))


def _answer(config: Config, state: State, move: Move) -> tuple[State, Outcome]:
    """Answer the question that waits."""
    if move.word not in ANSWERS:
        why = "Answer yes, no or unsure."
        return state, Outcome("not_now", to_each(ANSWERER, why, ""), legal=False)
    after = state._replace(question="")
    told = to_each(ANSWERER, f"You answer {move.word}.", f"The answer is {move.word}.")
    return after, _or_over(config, after, "answer", told)


def _or_over(config: Config, state: State, event: str, told: tuple[str, ...]) -> Outcome:
    """End the game where no question is left."""
    if state.asked < config.questions:
        return Outcome(event, told)
    told = tuple(f"{text}\nIt was the last one; the thing is {state.thing}. Both lose."
                 for text in told)  # fmt: skip
    return Outcome("over", told, (0.0, 0.0), over=True)


def legal_moves(config: Config, state: State) -> list[Move]:
    """Return every guess and one question, or the answers."""
    if to_move(config, state) == ANSWERER:
        return [Move(word) for word in ANSWERS]
    return [Move("ask", "Is it alive?"), *map(Move, THINGS)]


def forfeit(config: Config, state: State, seat: int) -> tuple[float, ...]:
    """Let who gave no legal reply lose 1; the other gets nothing."""
    return (-1.0, 0.0) if seat == 0 else (0.0, -1.0)


def redealt(config: Config, state: State, seat: int, rng: np.random.Generator) -> State | None:
    """Let it be another thing."""
    if seat != ANSWERER:
        return None
    place = THINGS.index(state.thing) + 1 + int(rng.integers(len(THINGS) - 1))
    return state._replace(thing=THINGS[place % len(THINGS)])


# -- wording ----------------------------------------------------------------------------------


def rules(config: Config, seat: int) -> str:
    """Return the text that opens the episode."""
    both = (
        f"Twenty questions: one player knows a thing, the other finds it within "
        f"{count_of(config.questions, 'question')}. A guess counts as a question. If it is found, "
        "both win."
    )
    if seat == ANSWERER:
        return f"{both} You know the thing and answer truly."
    return f"{both} You ask. It is one of: {', '.join(THINGS)}."


def form(config: Config, state: State, seat: int) -> str:
    """Return the form of an action."""
    if seat == ANSWERER:
        return "give \\boxed{yes}, \\boxed{no} or \\boxed{unsure}."
    return (
        "give a question that can be answered with yes or no between <say> and </say> together "
        "with \\boxed{ask}, or a guess as \\boxed{thing}."
    )


def view(config: Config, state: State, seat: int) -> str:
    """Return the questions left, and the thing to who knows it."""
    left = f"{count_of(config.questions - state.asked, 'question')} left."
    return f"The thing: {state.thing}. {left}" if seat == ANSWERER else left


def parse(reply: str) -> Move | None:
    r"""Return the word in the last ``\boxed{}``, with what the last ``<say>`` says, or None."""
    word = to_word(last_boxed(reply))
    return None if word is None else Move(word, said(reply))


def write(move: Move) -> str:
    """Return the reply that makes a move."""
    return f"<say>{move.said}</say>{boxed(move.word)}" if move.said else boxed(move.word)


class TwentyQuestionsEnv(TextAEC[Config, State, Move]):
    r"""Find a thing that the other player knows, two players with one aim.

    ## Action Space
    ``UnicodeText``: any reply. player_0: ``\boxed{ask}`` with the question in a ``<say>`` tag (up
    to 500 characters), or a guess in the box. player_1: ``yes``, ``no`` or ``unsure`` in the box.

    ## Observation Space
    ``Dict(text=UnicodeText)``: the rules until the player has moved, what was asked and answered;
    player_1 reads the thing, player_0 the list of 103 that it is one of.

    ## Rewards
    1 for each if the thing is found, else 0. A reply that used the last try costs its player 1.

    ## Episode End
    Terminated by the right guess, the last question, or a reply that used a player's last try.

    ## Information
    ``event``: ``ask``, ``wrong``, ``found``, ``answer``, ``over``, ``silent``, ``unknown``,
    ``not_now``; see :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## Arguments
    See :class:`Config`; and those of :class:`~gem_gymnasium.multiplayer.text_aec.TextAEC`.

    ## References
    The classic game; list of things and wording are our own.

    ## Version History
    v0: first release.
    """

    name = "twenty_questions"
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
    forfeit = staticmethod(forfeit)
    redealt = staticmethod(redealt)


env = raw_env = TwentyQuestionsEnv
parallel_env = parallel(TwentyQuestionsEnv)
