"""Every information set of the poker games, with the very text that a model reads in it.

So that a policy given by a model can be written down and its exploitability be computed: ask it in
each information set for the chance of each word, and pass that to ``exploitability`` of the game's
solver (``players.kuhn_poker``, ``players.leduc_poker``).
"""

from __future__ import annotations

import functools
from importlib import import_module
from itertools import count
from typing import Any, NamedTuple

from gem_gymnasium.core.errors import UnknownName
from gem_gymnasium.multiplayer.replies import boxed
from gem_gymnasium.multiplayer.text_aec import TEXT, TextAEC

GAMES = ("kuhn_poker", "leduc_poker")


class InformationSet(NamedTuple):
    """A decision, as the player who has to make it sees it."""

    key: str
    """The key of a policy."""
    seat: int
    words: tuple[str, ...]
    """The legal choices; the reply is the word in a box."""
    observation: str
    """What the env shows the seat there, if neither seat has made an illegal reply."""


@functools.cache
def information_sets(name: str) -> tuple[InformationSet, ...]:
    """Return every information set of a game (12 in Kuhn poker, 288 in Leduc poker).

    The texts are those of the env: it deals hand after hand, and every line of each is played.

    Args:
        name: ``kuhn_poker`` or ``leduc_poker``.

    Raises:
        UnknownName: There is no such game.
    """
    if name not in GAMES:
        raise UnknownName("poker game", name, GAMES)
    solver: Any = import_module(f"{__package__}.{name}")
    env: TextAEC[Any, Any, Any] = import_module(f"gem_gymnasium.multiplayer.{name}").env()
    choices = solver.tree().choices()
    found: dict[str, InformationSet] = {}

    def play_on() -> None:
        """Play every line from here."""
        if any(env.terminations.values()):
            return
        agent = env.agent_selection
        observation = env.observe(agent)[TEXT]
        key = solver.read(observation)
        seat, words = choices[key]
        found.setdefault(key, InformationSet(key, seat, words, observation))
        here = env.snapshot()
        for word in words:
            env.step(boxed(word))
            play_on()
            env.restore(here)

    for seed in count():
        if len(found) == len(choices):
            break
        env.reset(seed=seed)
        play_on()
    return tuple(found[key] for key in choices)
