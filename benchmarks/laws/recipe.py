"""What every run of a discount law has in common, and how its games are summed up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

DEVICES = ("cpu", "cuda")


class Recipe(NamedTuple):
    """The game, the warm start, the training and the measurement."""

    high: int = 31
    turns: int = 15
    hidden: int = 64
    warm_up_games: int = 10_000
    skill: float = 0.8
    warm_up_steps: int = 2_000
    warm_up_batch: int = 8
    warm_up_rate: float = 2e-3
    rollouts: int = 40
    episodes: int = 64
    iterations: int = 2
    mini_batches: int = 2
    learning_rate: float = 6e-4
    entropy_coef: float = 0.0
    eval_repeats: int = 8
    budget_s: float = 0.0
    device: str = "cpu"


HELP = {
    "high": "numbers go from 1 to this",
    "turns": "turns of a game; a lost game counts as so many",
    "hidden": "width of the model",
    "warm_up_games": "games of the sloppy player",
    "skill": "share of its moves that fit all hints; the others are random",
    "warm_up_steps": "optimizer steps of the warm start",
    "warm_up_batch": "games a step",
    "warm_up_rate": "highest rate of the warm start; it decays to a tenth",
    "rollouts": "rollouts of the training",
    "episodes": "whole games a rollout",
    "iterations": "passes over the turns of a rollout",
    "mini_batches": "optimizer steps a pass",
    "learning_rate": "highest rate of the training; it decays to 0",
    "entropy_coef": "weight of the entropy bonus",
    "eval_repeats": "sampled games for each target",
    "budget_s": "seconds after which a run stops training; 0 is no limit",
    "device": "of training and play (the warm start is built on the CPU)",
}


class Game(NamedTuple):
    """How a game ended."""

    turns: int
    success: bool
    malformed: bool
    """Whether a reply without a number ended it."""


def summary(games: Sequence[Game], budget: int) -> dict[str, float | None]:
    """Return success, turns and the share of games that a malformed reply ended.

    ``turns`` is the mean over all games, where a lost one counts as the whole budget, however early
    a malformed reply ended it; ``turns_won`` is the mean among won games, None if there are none.
    """
    won = [game.turns for game in games if game.success]
    count = len(games)
    return {
        "success": len(won) / count,
        "turns": (sum(won) + budget * (count - len(won))) / count,
        "turns_won": sum(won) / len(won) if won else None,
        "malformed": sum(game.malformed for game in games) / count,
    }


def optimum(numbers: int) -> float:
    """Return bisection's mean turns over all targets, which no player beats.

    A binary search tree has at most ``2**(d - 1)`` numbers at depth ``d``, so the i-th shallowest
    of them lies no higher than the bit length of i.
    """
    return sum(number.bit_length() for number in range(1, numbers + 1)) / numbers
