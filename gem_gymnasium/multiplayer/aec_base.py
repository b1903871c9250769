"""AECBase: what every text game of several players shares of the PettingZoo protocol."""

from __future__ import annotations

import json
import sys
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv  # pyright: ignore[reportMissingTypeStubs]

from gem_gymnasium.core.errors import (
    ConfigError,
    SnapshotMismatch,
    StepOutsideEpisode,
    UnknownName,
)
from gem_gymnasium.core.render import can_draw, check_render_mode, draw_text
from gem_gymnasium.core.snapshot import DAMAGE
from gem_gymnasium.core.spaces import UnicodeText
from gem_gymnasium.core.text_env import INFO_TYPES

OTHER = "other"
"""The event, for a player who waited, of another's move."""

FORFEIT = "forfeit"
"""The event of a reply that used the last try."""

MULTI_INFO_TYPES: Mapping[str, type] = {
    **INFO_TYPES,
    "seat": int,
    "tries_left": int,
    "to_move": bool,
}
"""The keys of every player's ``infos``, with their types."""

TEXT = "text"

Observation = dict[str, str]


def is_whole(value: object) -> bool:
    """Return whether it is a whole number, which may be numpy's, and no bool."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_game(game: Any, kind: type[Any]) -> None:
    """Refuse what cannot be played.

    Args:
        game: What was given for a game; PettingZoo's wrappers may be around it.
        kind: What it must be within.

    Raises:
        ConfigError: It is no game in AEC form, or one of another kind.
    """
    if not isinstance(game, AECEnv):
        raise ConfigError(
            f'game must be a game in AEC form, such as pettingzoo.make("aec", ID), got {game!r}'
        )
    base = cast("Any", game).unwrapped
    if not isinstance(base, kind):
        raise ConfigError(
            f"game must be a {kind.__name__}, as those of gem_gymnasium are, and "
            f"{base.metadata.get('name', base)} is a {type(base).__name__}"
        )


def read_snapshot(data: bytes, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a snapshot holds.

    Args:
        data: The snapshot, JSON.
        own: What the env's own has, by key, and this one must have; it can be JSON.

    Raises:
        SnapshotMismatch: It is no snapshot, or one of another game, other settings or format.
    """
    try:
        saved: dict[str, Any] = json.loads(data)
        saved.get("format")
    except DAMAGE as error:
        raise SnapshotMismatch(f"this is no snapshot: {error}") from error
    for key, value in json.loads(json.dumps(own)).items():
        if saved.get(key) != value:
            raise SnapshotMismatch(f"{key} is {value!r} here and {saved.get(key)!r} there")
    return saved


class AECBase(AECEnv[str, Observation, str]):
    """Seats, spaces, the order of calls and the picture of a text game; a subclass plays it.

    Args:
        render_mode: ``"ansi"``, ``"human"``, ``"rgb_array"`` (needs Pillow) or None.

    Raises:
        ConfigError: There is no such render mode.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo declares it as an instance attribute
        "render_modes": ["ansi", "human", *(["rgb_array"] if can_draw() else [])],
        "render_fps": 2,
        "is_parallelizable": True,
    }

    def __init__(self, render_mode: str | None) -> None:
        super().__init__()
        # A list of its own: PettingZoo's CaptureStdoutWrapper adds to that of the env it is given.
        self.metadata = {**self.metadata, "render_modes": list(self.metadata["render_modes"])}
        check_render_mode(render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self._observations = spaces.Dict({TEXT: UnicodeText()})
        self._actions = UnicodeText()
        self.agents: list[str] = []
        self.rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.np_random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return ``Dict(text=UnicodeText)``, the same object for every agent."""
        return self._observations

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return ``UnicodeText``, the same object for every agent."""
        return self._actions

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return what the agent that is asked reads, what it was paid, and whether it is done.

        Raises:
            StepOutsideEpisode: The env was never reset, or every agent has left.
        """
        self._check_begun("last")
        if not self.agents:
            raise StepOutsideEpisode("every agent has left: call reset() before last()")
        return super().last(observe)

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Return the agents in the order in which they are asked, until all have left.

        Raises:
            StepOutsideEpisode: The env was never reset.
        """
        self._check_begun("agent_iter")
        return super().agent_iter(max_iter)

    def render(self) -> Any:
        """Return what each seat can see, as text (``ansi``) or frame (``rgb_array``), else None.

        Raises:
            StepOutsideEpisode: The env was never reset.
        """
        self._check_begun("render")
        if self.render_mode == "ansi":
            return self._picture()
        return draw_text(self._picture()) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    # -- for subclasses -----------------------------------------------------------------------

    @property
    @abstractmethod
    def _is_begun(self) -> bool:
        """Whether there was ever an episode."""

    @abstractmethod
    def _views(self) -> Sequence[str]:
        """Return what each seat can see, for who watches."""

    def _check_begun(self, call: str) -> None:
        """Refuse a call that needs an episode, over or not."""
        if not self._is_begun:
            raise StepOutsideEpisode(f"the env was never reset: call reset() before {call}()")

    def _seat_of(self, agent: str) -> int:
        """Return an agent's seat.

        Raises:
            UnknownName: There is no such agent.
        """
        if agent not in self.possible_agents:
            raise UnknownName("agent", str(agent), self.possible_agents)
        return self.possible_agents.index(agent)

    def _generator(self, seed: int | None) -> np.random.Generator:
        """Return the env's own generator, seeded anew if there is a seed."""
        if seed is not None or self.np_random is None:
            self.np_random, _ = seeding.np_random(seed)
        return self.np_random

    def _seat_all(self) -> None:
        """Let every agent begin an episode."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)

    def _replying(self, action: str | None) -> int | None:
        """Return the seat whose reply this is, its rewards cleared; None: its agent has left.

        Raises:
            StepOutsideEpisode: The env was never reset, or every agent is done.
            ConfigError: ``action`` is no str, or None is missing.
        """
        if not self.agents or not self._is_begun:
            raise StepOutsideEpisode("there is no episode to move in: call reset() before step()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise ConfigError(f"the episode of {agent} is over: its action must be None")
            self._was_dead_step(cast("Any", None))
            return None
        if not isinstance(action, str):
            raise ConfigError(f"an action must be a str, got {type(action).__name__}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        return self.possible_agents.index(agent)

    def _picture(self) -> str:
        """Return every seat's view, once where all see the same."""
        views = self._views()
        if len(set(views)) == 1:
            return views[0]
        pairs = zip(self.possible_agents, views, strict=True)
        return "\n\n".join(f"{agent}:\n{view}" for agent, view in pairs)

    def _show(self) -> None:
        """Show it to a person who watches."""
        if self.render_mode == "human":
            sys.stdout.write(f"{self._picture()}\n\n")
