r"""Tower of Hanoi: move a pile of disks to another peg, one at a time, never on a smaller one.

Reads top to bottom: config, state, rules, wording, env. Only the last part knows gymnasium. Disks
are the digits from 1, the smallest; a peg is a str of its disks from bottom to top.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_boxed
from gem_gymnasium.core.rewards import share
from gem_gymnasium.core.text_env import Outcome, TextEnv

EVENTS = ("moved", "solved", "too_large", "empty", "same_peg", "no_peg")

MAX_DISKS = 9
"""The most disks: one digit each."""

PEGS = "ABC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Move ``disks`` disks from peg A to peg C within max_turns replies."""

    disks: int = 4
    max_turns: int = 30

    def __post_init__(self) -> None:
        if not 2 <= self.disks <= MAX_DISKS:
            raise ConfigError(f"disks must be in 2..{MAX_DISKS}, got {self.disks}")
        if self.max_turns < fewest_moves(self.disks):
            raise ConfigError(
                f"max_turns must be at least the {fewest_moves(self.disks)} moves that "
                f"{self.disks} disks take, got {self.max_turns}"
            )


def fewest_moves(disks: int) -> int:
    """Return how many moves a pile of disks takes from one peg to another."""
    return 2**disks - 1


RANDOM_CONFIGS = (
    Config(disks=3, max_turns=10),
    Config(disks=4, max_turns=20),
    Config(disks=5, max_turns=35),
)
"""GEM's random variant."""

Move = tuple[str, str]


class State(NamedTuple):
    """The disks of each peg from bottom to top, and the most that were in their place on C."""

    pegs: tuple[str, str, str]
    best: int = 0


# -- rules ------------------------------------------------------------------------------------


def deal(config: Config, rng: np.random.Generator) -> State:
    """Pile all disks on peg A."""
    return State((pile(config.disks), "", ""))


def pile(disks: int) -> str:
    """Return a peg that holds every disk."""
    return "987654321"[-disks:]


def play(config: Config, state: State, move: Move) -> tuple[State, Outcome]:
    """Move the top disk of one peg (from, to; capital letters) to another.

    The pay: a share of 1 / disks the first time that each further disk, the largest first, lies in
    its place on C. It is never taken back nor paid again, so no moves earn more than 1.
    """
    return judge(config.disks, state, move)


@lru_cache(maxsize=8_192)  # few positions, seen in every episode
def judge(disks: int, state: State, move: Move) -> tuple[State, Outcome]:
    """Return what ``play`` does."""
    start, end = move
    if start == end:
        feedback = f"A move needs two different pegs, not {start} twice."
        return state, Outcome("same_peg", feedback, legal=False)
    source, target = PEGS.find(start), PEGS.find(end)
    if source < 0 or target < 0:
        feedback = f"There is no peg {start if source < 0 else end}: the pegs are A, B and C."
        return state, Outcome("no_peg", feedback, legal=False)
    pegs, best = [*state.pegs], state.best
    from_, to = pegs[source], pegs[target]
    if not from_:
        return state, Outcome("empty", f"Peg {start} is empty.", legal=False)
    disk = from_[-1]
    if to and to[-1] < disk:
        feedback = f"Disk {disk} cannot lie on the smaller disk {to[-1]} of peg {end}."
        return state, Outcome("too_large", feedback, legal=False)
    pegs[source] = from_[:-1]
    pegs[target] = to = to + disk
    reward = 0.0
    if target == 2 and len(to) > best and pile(disks).startswith(to):
        best += 1
        reward = share(best, disks) - share(best - 1, disks)
    state = State((pegs[0], pegs[1], pegs[2]), best)
    feedback = f"Moved disk {disk} from {start} to {end}"
    if best == disks:
        feedback = f"{feedback}: all disks are on peg C, you win."
        return state, Outcome("solved", feedback, reward, over=True, success=True)
    return state, Outcome("moved", f"{feedback}.", reward)


def legal_move(config: Config, state: State, rng: np.random.Generator) -> Move:
    """Draw a legal move, uniform over the two or three that there are."""
    tops = [peg[-1:] or ":" for peg in state.pegs]  # a colon sorts after every digit
    moves = [(PEGS[i], PEGS[j]) for i in range(3) for j in range(3) if tops[i] < tops[j]]
    return moves[int(rng.integers(len(moves)))]


def progress(config: Config, state: State) -> float:
    """Return the largest share of the disks that lay in their place on C, the largest first."""
    return state.best / config.disks


def optimal_turns(config: Config, state: State) -> int:
    """Return 2**disks - 1, the fewest moves from one full peg to another."""
    return fewest_moves(config.disks)


# -- wording ----------------------------------------------------------------------------------


def view(config: Config, state: State) -> str:
    """Return the pegs, a line each: its disks from bottom to top."""
    return draw(state.pegs)


@lru_cache(maxsize=8_192)
def draw(pegs: tuple[str, str, str]) -> str:
    """Return the text of a position."""
    a, b, c = pegs
    return f"A: {' '.join(a or '-')}\nB: {' '.join(b or '-')}\nC: {' '.join(c or '-')}"


def form(config: Config) -> str:
    """Return the form of an action."""
    return "give one move as \\boxed{from to}, the letters of two pegs."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    return (
        f"Tower of Hanoi: move all {config.disks} disks from peg A to peg C within "
        f"{config.max_turns} turns. There are three pegs, A, B and C. A move takes the top disk "
        "of one peg and puts it on another peg, never on a smaller disk. A disk's number is its "
        "size. Each peg is shown with its disks from bottom to top; - is an empty peg.\n"
        f"Each turn, {form(config)}"
    )


_USUAL = {f"{start} {end}": (start, end) for start in PEGS for end in PEGS}
"""Nearly every move, read without a regex."""

_MOVE = re.compile(r"\s*([A-Za-z])[\s,]*([A-Za-z])\s*")


def parse(reply: str) -> Move | None:
    r"""Return the two letters in the last ``\boxed{}``, any case, as capitals, or None.

    White space or commas may stand between them.
    """
    inside = last_boxed(reply) or ""
    if (move := _USUAL.get(inside)) is not None:
        return move
    found = _MOVE.fullmatch(inside)
    return None if found is None else (found[1].upper(), found[2].upper())


def write(move: Move) -> str:
    """Return the reply that makes a move."""
    return f"\\boxed{{{move[0]} {move[1]}}}"


class TowerOfHanoiEnv(TextEnv[Config, State, Move]):
    r"""Move a pile of disks to another peg, one at a time, never on a smaller one.

    ## Action Space
    ``UnicodeText``: any reply; the last ``\boxed{}`` holds the letters of two pegs, from and to, in
    any case, parted by white space, commas or nothing.

    ## Observation Space
    ``UnicodeText``: the rules at reset, then what the last move did; the pegs; the turns left.

    ## Rewards
    1 / disks the first time that each further disk, the largest first, lies in its place on peg C:
    1 in total over a solved game. Any other move pays 0, a reply without two letters -0.1. The
    return lies in [-0.1, 1]; with ``on_malformed="continue"`` in [-0.1 * max_turns, 1].

    ## Episode End
    Terminated by all disks on C, the last turn, or (``on_malformed="end"``) a malformed reply.

    ## Information
    ``event``: ``moved``, ``solved``; refused: ``too_large`` (for the disk below), ``empty`` (no
    disk to take), ``same_peg``, ``no_peg`` (another letter); ``malformed``. ``progress`` is the
    reward so far of a player without malformed replies, ``optimal_turns`` is 2**disks - 1.

    ## Arguments
    ``disks``, ``max_turns``: see :class:`Config`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    The puzzle of Lucas (1883) as adapted by TextArena and GEM (arXiv 2510.01051); the wording is
    our own.

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
