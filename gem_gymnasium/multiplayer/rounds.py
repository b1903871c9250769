"""Games of rounds in which all choose at the same time: what their states are, and who chooses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class State(NamedTuple):
    """The choices of all seats in each round, and those made in the one that is being played."""

    rounds: tuple[tuple[Any, ...], ...] = ()
    chosen: tuple[Any, ...] = ()


def deal(config: Any, rng: np.random.Generator) -> State:
    """Return a game without rounds; there is no chance in it."""
    return State()


def to_move(config: Any, state: State) -> int:
    """Return the seat that chooses."""
    return len(state.chosen)
