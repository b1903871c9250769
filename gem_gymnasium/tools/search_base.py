"""Retriever: what finds passages for a query; Hit and Found: what it finds."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from gem_gymnasium.core.errors import StepTimeout


class Hit(NamedTuple):
    """A passage that was found; of two, the one with the higher score fits better."""

    title: str
    text: str
    score: float = 0.0


class Found(NamedTuple):
    """What there is for one query, the best first.

    ``problem`` says why a query was refused, as text that the model reads; then there are no hits.
    """

    hits: tuple[Hit, ...] = ()
    problem: str = ""


class Retriever(ABC):
    """A back end of the search tool: any number of envs and threads share one.

    A query is text that a model wrote, and hostile. One that a back end cannot take is a ``Found``
    with a ``problem``; a back end that fails raises. It should pickle.
    """

    @abstractmethod
    def search(self, queries: Sequence[str], count: int, deadline: float) -> list[Found]:
        """Return what there is for each query.

        Args:
            queries: Any texts.
            count: Passages wanted for each, at least 1; there may be fewer.
            deadline: When the answer must be there, on the clock of ``time.monotonic()``.

        Raises:
            MachineryError: The back end failed (``BackendError``, ``ToolFailure``), or did not
                answer in time (``StepTimeout``).
        """
        raise NotImplementedError

    def close(self) -> None:
        """Let go of connections and files; may be called again."""
        return


def left_s(deadline: float, what: str) -> float:
    """Return the seconds that are left.

    Raises:
        StepTimeout: There are none.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise StepTimeout(f"{what} did not answer in time")
    return left
