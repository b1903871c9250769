"""What a solver is: a player that wins by reading what the agent reads."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np


class Solver(Protocol):
    """Plays one game, one episode at a time, from its observations alone.

    ``info`` is passed for solvers of other people's games; the package's own never read it, so
    that a won game proves that the text tells enough. Every method may be called again with an
    observation that was read before, and reads a text that holds the whole episode
    (``wrappers.History``) as well as one that holds the newest turn.

    A solver that knows more than a player can (an answer key, a graph) has a class attribute
    ``oracle = True``; read it with ``getattr(solver, "oracle", False)``.
    """

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Start an episode with what the env's ``reset`` returned."""
        ...

    def observe(self, observation: str, info: dict[str, Any]) -> None:
        """Take in what the env's ``step`` returned."""
        ...

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Take in the newest observation and return the best reply; the same for the same text."""
        ...

    def consistent_move(self, rng: np.random.Generator) -> str:
        """Draw a reply, uniform over the moves that what was seen so far leaves promising."""
        ...
