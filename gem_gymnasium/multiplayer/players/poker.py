"""Every information set of the poker games, with the very text that a model reads in it.

So that a policy given by a model can be written down and its exploitability be computed: ask it in
each information set for the chance of each word, and pass that to ``exploitability`` of the game's
solver (``players.kuhn_poker``, ``players.leduc_poker``).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from itertools import count
from typing import Any, NamedTuple

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.multiplayer.aec_base import TEXT
from gem_gymnasium.multiplayer.all_seats import AllSeats
from gem_gymnasium.multiplayer.replies import boxed

POKER = ("kuhn_poker", "leduc_poker")
"""The games whose policies can be written down whole."""


class InformationSet(NamedTuple):
    """A decision, as the player who has to make it sees it."""

    key: str
    """The key of a policy."""
    seat: int
    words: tuple[str, ...]
    """The legal choices; the reply is the word in a box."""
    observation: str
    """What the env shows the seat there, if neither seat has made an illegal reply."""
    info: dict[str, Any]
    """What ``info`` says there; a seat's wrapper may add to it (``messages``)."""

    @property
    def replies(self) -> tuple[str, ...]:
        """The words as replies in their plain form."""
        return tuple(map(boxed, self.words))


def solver_of(name: str) -> Any:
    """Return the module of a poker game's solver.

    Raises:
        UnknownName: There is no such game.
    """
    if name not in POKER:
        raise UnknownName("poker game", name, POKER)
    return import_module(f"{__package__}.{name}")


def information_sets(game: str | AllSeats) -> tuple[InformationSet, ...]:
    """Return every information set of a game (12 in Kuhn poker, 288 in Leduc poker).

    The texts are those of the env: it deals hand after hand, and every line of each is played.

    Args:
        game: ``kuhn_poker`` or ``leduc_poker``, or a game of these with its wrappers for each seat.

    Raises:
        UnknownName: There is no such game.
        ConfigError: The game has other settings than the standard ones, which the solver knows.
    """
    name = game if isinstance(game, str) else str(game.game.name)
    solver = solver_of(name)
    if isinstance(game, str):
        game = AllSeats(import_module(f"gem_gymnasium.multiplayer.{name}").env())
    if game.game.config != game.game.config_type():
        raise ConfigError(f"the solver of {name} knows the standard settings only")
    choices: dict[str, tuple[int, tuple[str, ...]]] = solver.tree().choices()
    found: dict[str, InformationSet] = {}

    def visit(seed: int, said: Sequence[str]) -> None:
        """See what is read after some choices, and after all that can follow.

        The hand is played anew each time: a wrapper may have no snapshots.
        """
        observation, info = game.reset(seed=seed)
        for word in said:
            observation, _, over, _, info = game.step(boxed(word))
            if over:
                return
        key = solver.read(game.game.observe(game.game.agent_selection)[TEXT])
        seat, words = choices[key]
        found.setdefault(key, InformationSet(key, seat, words, observation, info))
        for word in words:
            visit(seed, (*said, word))

    for seed in count():
        if len(found) == len(choices):
            break
        visit(seed, ())
    return tuple(found[key] for key in choices)
