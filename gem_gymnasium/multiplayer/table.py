"""The table of multi-player ids, and PettingZoo's registry filled from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import pettingzoo  # pyright: ignore[reportMissingTypeStubs]

NAMESPACE = "gem"


class Row(NamedTuple):
    """A game: its module here, the end of its class's name cut off, and variants with kwargs."""

    name: str
    variants: Mapping[str, Mapping[str, Any]] = {}

    @property
    def module(self) -> str:
        """The file that holds it."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).lower()

    def ids(self) -> dict[str, dict[str, Any]]:
        """Return every id with its kwargs."""
        table: dict[str, dict[str, Any]] = {f"{NAMESPACE}/{self.name}-v0": {}}
        for variant, kwargs in self.variants.items():
            table[f"{NAMESPACE}/{self.name}-{variant}-v0"] = dict(kwargs)
        return table


ROWS = (
    Row("TicTacToe"),
    Row("ConnectFour"),
    Row("Nim", {"misere": {"misere": True}}),
    Row("KuhnPoker"),
    Row("LeducPoker"),
    Row("LiarsDice", {"3p": {"seats": 3}, "4p": {"seats": 4}}),
    Row("Battleship"),
    Row("RockPaperScissors"),
    Row("PrisonersDilemma"),
    Row("LowestUnique", {"4p": {"seats": 4}}),
    Row("Negotiation"),
    Row("TwentyQuestions"),
)


def ids() -> tuple[str, ...]:
    """Return the ids, in the order of the table."""
    return tuple(id for row in ROWS for id in row.ids())


def register() -> None:
    """Register every id with PettingZoo, in both of its registries; a second call does nothing.

    Entry points are strings, so that no game is imported.
    """
    for row in ROWS:
        module = f"{__package__}.{row.module}"
        for id, kwargs in row.ids().items():
            if id not in pettingzoo.aec_registry:
                pettingzoo.register("aec", id, f"{module}:env", kwargs=kwargs)
                pettingzoo.register("parallel", id, f"{module}:parallel_env", kwargs=kwargs)
