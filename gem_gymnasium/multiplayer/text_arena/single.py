"""TextArenaEnv: a game of TextArena for one player as a gymnasium env."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from gem_gymnasium.core.errors import ConfigError, StepOutsideEpisode, UnknownName
from gem_gymnasium.core.render import draw_text
from gem_gymnasium.core.spaces import UnicodeText
from gem_gymnasium.multiplayer.aec_base import FORFEIT, TEXT
from gem_gymnasium.multiplayer.text_arena.env import TextArenaAEC


class TextArenaEnv(gym.Env[str, str]):
    """A game of TextArena for one player, with bare text spaces and the ``info`` of ``TextEnv``.

    It is :class:`TextArenaAEC` with its only seat unwrapped: see there for what is read, what
    reaches the game and the keys of ``info``. An episode is truncated after ``max_turns`` replies,
    and where TextArena raises or takes too long.

    Args:
        env_id: An id of TextArena's, such as ``"Sudoku-v0"``.
        render_mode: ``"ansi"``, ``"human"``, ``"rgb_array"`` (needs Pillow) or None.
        max_turns: As for ``TextArenaAEC``.
        deadline_s: Likewise.
        **kwargs: Of the game's class in TextArena.

    Raises:
        ConfigError: The game is for several players, or an argument is refused.
        MissingDependency: As for ``TextArenaAEC``; so ``GameUnavailable`` and ``UnknownName``.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - gymnasium declares it as an instance attribute
        "render_modes": TextArenaAEC.metadata["render_modes"],
        "render_fps": 2,
        "snapshot": True,
    }
    events = (*TextArenaAEC.events, FORFEIT)

    def __init__(
        self,
        env_id: str,
        *,
        render_mode: str | None = None,
        max_turns: int = 2_000,
        deadline_s: float = 20.0,
        **kwargs: Any,
    ) -> None:
        self.game = TextArenaAEC(
            env_id, render_mode=render_mode, max_turns=max_turns, deadline_s=deadline_s, **kwargs
        )
        if len(self.game.possible_agents) > 1:
            raise ConfigError(
                f"{env_id} is for several players: take gem_gymnasium.multiplayer.textarena"
            )
        self.kwargs = self.game.kwargs
        self.render_mode = render_mode
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self._agent = self.game.possible_agents[0]
        self._over = True
        self._observation = ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode.

        Raises:
            UnknownName: There are no reset options.
            MachineryError: TextArena raised, or took too long.
        """
        super().reset(seed=seed)
        for name in options or {}:
            raise UnknownName("reset option", str(name), ())
        self._over = True  # should the deal fail
        self.game.reset(seed=int(self.np_random.integers(2**32)))
        self._over = False
        return self._read()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Give the game a reply.

        Raises:
            StepOutsideEpisode: The env was never reset, or the episode is over.
            ConfigError: ``action`` is no str.
        """
        if self._over:
            raise StepOutsideEpisode("there is no episode to move in: call reset() before step()")
        before = self._observation
        self.game.step(action)
        terminated = self.game.terminations[self._agent]
        truncated = self.game.truncations[self._agent]
        self._over = terminated or truncated
        observation, info = self._read()
        if not info["valid"]:
            observation = self._observation = before
        return observation, float(self.game.rewards[self._agent]), terminated, truncated, info

    def _read(self) -> tuple[str, dict[str, Any]]:
        self._observation = self.game.observe(self._agent)[TEXT]
        return self._observation, dict(self.game.infos[self._agent])

    def render(self) -> Any:
        """Return the last observation as text (``ansi``) or frame (``rgb_array``), else None.

        Raises:
            StepOutsideEpisode: The env was never reset.
        """
        if not self._observation:
            raise StepOutsideEpisode("the env was never reset: call reset() before render()")
        if self.render_mode == "ansi":
            return self._observation
        return draw_text(self._observation) if self.render_mode == "rgb_array" else None

    def snapshot_state(self) -> dict[str, Any]:
        """Return the episode as JSON-able data."""
        return {
            "game": self.game.snapshot().decode(),
            "over": self._over,
            "observation": self._observation,
        }

    def restore_state(self, data: dict[str, Any]) -> None:
        """Take up the episode that ``snapshot_state`` described."""
        self.game.restore(data["game"].encode())
        self._over, self._observation = data["over"], data["observation"]
