"""Game: what a text game supplies, a table of pure functions; ``TextEnv`` makes an env of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np

from gem_gymnasium.core.errors import ConfigError, UnknownName

ConfigT = TypeVar("ConfigT")
StateT = TypeVar("StateT", bound=tuple[Any, ...])
MoveT = TypeVar("MoveT")


@dataclass(slots=True)
class Outcome:
    """What one well-formed move led to; a value, which nobody changes.

    It is not frozen, and no NamedTuple, since one is made and read at every step: either would
    make a short step a tenth slower.
    """

    event: str
    """One name of the env's closed set ``events``."""
    feedback: str
    """What the player is told about the move."""
    reward: float = 0.0
    legal: bool = True
    """False for a move that the rules refuse; it costs its turn and changes nothing."""
    over: bool = False
    """The rules end the episode here (the turn budget is TextEnv's own affair)."""
    success: bool = False


class Game(ABC, Generic[ConfigT, StateT, MoveT]):
    """The rules and the wording of a text game, as pure functions of (config, state, move).

    A subclass names

    - ``config_type``, a frozen dataclass with a ``max_turns``, and ``random_configs``, those that
      its random variant draws from;
    - ``state_type``, a NamedTuple of ints, floats, strs, bools and tuples of them;
    - ``events``, the names that its outcomes use;
    - ``extra_info``, the keys of its own in ``info``, and ``reset_options``, the keys that
      ``deal_as_told`` knows; ``tells_turns``, whether the view ends with the turns left;
    - the functions below; a class that misses an abstract one cannot be constructed.

    No function mutates a state, or draws from anything but the ``rng`` it is given. ``deal`` and
    ``play`` may ask a server, and raise a ``MachineryError`` if it fails; the others only read the
    state.
    """

    config_type: ClassVar[type[Any]]
    state_type: ClassVar[type[Any]]
    random_configs: ClassVar[tuple[Any, ...]] = ()
    events: ClassVar[tuple[str, ...]]
    extra_info: ClassVar[Mapping[str, type]] = {}
    reset_options: ClassVar[tuple[str, ...]] = ()
    tells_turns: ClassVar[bool] = True

    @staticmethod
    @abstractmethod
    def deal(config: ConfigT, rng: np.random.Generator, /) -> StateT:
        """Draw the first state of an episode."""
        raise NotImplementedError

    @staticmethod
    def deal_as_told(
        config: ConfigT, rng: np.random.Generator, options: Mapping[str, Any], /
    ) -> StateT:
        """Return the first state that ``reset(options=...)`` asks for; every key is a known one.

        Raises:
            ConfigError: A value is refused.
        """
        raise NotImplementedError("a game with reset_options must have a deal_as_told")

    @staticmethod
    @abstractmethod
    def rules(config: ConfigT, /) -> str:
        """Return the text the player reads first: the game, its rules, the form of an action."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def form(config: ConfigT, /) -> str:
        """Return one sentence on the form of an action, for a reply that held none."""
        raise NotImplementedError

    @staticmethod
    def view(config: ConfigT, state: StateT, /) -> str:
        """Return what the player can see now, without the turns left; may be empty."""
        return ""

    @staticmethod
    @abstractmethod
    def parse(reply: str, /) -> MoveT | None:
        """Return the move a reply holds, or None; never raises, in linear time."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def write(move: MoveT, /) -> str:
        """Return the shortest reply that ``parse`` reads as ``move``."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def play(config: ConfigT, state: StateT, move: MoveT, /) -> tuple[StateT, Outcome]:
        """Apply one move."""
        raise NotImplementedError

    @staticmethod
    def chance(
        config: ConfigT, state: StateT, outcome: Outcome, rng: np.random.Generator, /
    ) -> tuple[StateT, Outcome]:
        """Let chance answer a legal move that did not end the game; ``rng`` is the env's own."""
        return state, outcome

    @staticmethod
    def last_turn_reward(config: ConfigT, state: StateT, move: MoveT, /) -> float:
        """Return what an unfinished game pays at its last turn, on top of the move's reward."""
        return 0.0

    @staticmethod
    @abstractmethod
    def legal_move(config: ConfigT, state: StateT, rng: np.random.Generator, /) -> MoveT:
        """Draw a legal move, uniformly."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def progress(config: ConfigT, state: StateT, /) -> float:
        """Return how far the game is solved, in [0, 1]."""
        raise NotImplementedError

    @staticmethod
    def optimal_turns(config: ConfigT, state: StateT, /) -> int:
        """Return the turns an optimal player needs from the first state, or -1 if unknown."""
        return -1

    @staticmethod
    def extra(config: ConfigT, state: StateT, /) -> dict[str, Any]:
        """Return the values of ``extra_info``."""
        return {}


def build_config(
    config_type: type[ConfigT], rules: Mapping[str, Any], settings: Iterable[str]
) -> ConfigT:
    """Build a game's config from keyword rules; a whole number is a float where one is due.

    Args:
        config_type: The game's.
        rules: Values by the names of its fields.
        settings: What the env takes beside them, which who errs may have meant.

    Raises:
        UnknownName: A rule does not exist; the message names the nearest one.
        ConfigError: A value breaks a rule, or is of the wrong kind.
    """
    known = {field.name: field for field in fields(cast("Any", config_type))}
    taken = dict(rules)
    for name, value in rules.items():
        if name not in known:
            raise UnknownName("rule", name, {*known, *settings})
        default = known[name].default
        if type(value) is int and type(default) is float:
            taken[name] = float(value)
        elif type(value) is not type(default):
            kind = type(default).__name__
            raise ConfigError(f"{name} must be of type {kind}, got {value!r}")
    return config_type(**taken)


def tuples(value: Any) -> Any:
    """Turn the lists that JSON made back into tuples, at every depth."""
    if isinstance(value, list):
        return tuple(tuples(item) for item in cast("list[Any]", value))
    return value
