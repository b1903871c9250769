"""AllSeats: a whole game as a gymnasium env, for one policy that plays every seat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv  # pyright: ignore[reportMissingTypeStubs]

from gem_gymnasium.core.errors import ConfigError, MachineryError, StepOutsideEpisode
from gem_gymnasium.core.spaces import UnicodeText
from gem_gymnasium.core.text_env import failure_info
from gem_gymnasium.multiplayer.aec_base import TEXT, check_game

TextEnv = gym.Env[str, str]


class AllSeats(gym.Env[str, str]):
    """Each seat of a game in its turn, as a text env for a policy that plays all of them.

    An observation is what the seat reads that is asked now, a step its reply. ``info`` is that
    seat's own, but for ``event`` and ``legal``, which are those of the reply just given, and has

    - ``seat``: who reads the observation, a number from 0;
    - ``rewards``: what the reply paid each seat;
    - ``wins``: whether each seat has won.

    The reward is that of the seat that replied. After the last reply it reads the outcome. A seat
    that is out before the others is asked no more; the episode is terminated if every seat's is.

    Args:
        game: A text game in PettingZoo's AEC form; it is played by this env alone from now on.
        wrap: Wraps what one seat reads and replies as if it were an env of its own, as in
            ``lambda env: History(env, "messages")``, so that a seat remembers what it was shown and
            nothing of the others. The wrapper may change observations and infos, no replies.

    Raises:
        ConfigError: It is no game in AEC form, its observations are no ``{"text": str}``, or its
            actions no texts.
    """

    def __init__(self, game: Any, *, wrap: Callable[[TextEnv], TextEnv] | None = None) -> None:
        check_game(game, AECEnv)
        for agent in game.possible_agents:
            _check_texts(game, agent)
        self.game = game
        self.metadata = {"render_modes": [], **game.metadata}
        self.render_mode = getattr(game, "render_mode", None)
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self.seats = len(game.possible_agents)
        self._streams = [_Seat() for _ in range(self.seats)]
        self._views = [stream if wrap is None else wrap(stream) for stream in self._streams]
        self._replies: list[str | None] = [None] * self.seats
        self._over = True
        self._out: dict[str, tuple[bool, bool]] = {}
        """Of each player that is out: whether it terminated, and whether it has won."""
        self._read: tuple[str, dict[str, Any]] = "", {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start a game, with ``seed`` as its own seed."""
        super().reset(seed=seed)
        self._over = True  # should the game fail
        self.game.reset(seed=seed, options=options)
        self._replies = [None] * self.seats
        self._out = {}
        self._over = False
        self._read = self._ask(self.game.agent_selection)
        return self._read[0], {**self._read[1], "event": "reset", "legal": True, **self._outcome()}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Apply the reply of the seat that was asked.

        Returns:
            What the next seat reads (after the end, the same one), what the one that replied was
            paid, and ``terminated`` or ``truncated``, each for all seats.

        Raises:
            StepOutsideEpisode: There is no episode to move in.
            ConfigError: ``action`` is no str.
        """
        if self._over:
            raise StepOutsideEpisode("there is no episode to move in: call reset() before step()")
        game, agent = self.game, self.game.agent_selection
        try:
            game.step(action)
        except MachineryError as error:
            self._over = True
            observation, info = self._read
            nothing = {"rewards": (0.0,) * self.seats, "wins": (False,) * self.seats}
            return observation, 0.0, False, True, {**info, **nothing, **failure_info(error)}
        self._replies[game.possible_agents.index(agent)] = action
        outcome = self._outcome()
        own = game.infos[agent]
        event, legal = own.get("event", ""), own.get("legal", True)
        # The game forgets players that are out, once they are told so below.
        self._out |= {
            each: (bool(game.terminations.get(each)), won)
            for each, won in zip(game.possible_agents, outcome["wins"], strict=True)
            if game.terminations.get(each) or game.truncations.get(each)
        }
        self._over = all(each in self._out for each in game.agents)
        terminated = self._over and all(ended for ended, _ in self._out.values())
        while not self._over and (
            game.terminations[game.agent_selection] or game.truncations[game.agent_selection]
        ):
            game.step(None)  # this player is out, the others go on
        self._read = self._ask(agent if self._over else game.agent_selection)
        info = {**self._read[1], "event": event, "legal": legal, **outcome}
        paid = outcome["rewards"][game.possible_agents.index(agent)]
        return self._read[0], paid, terminated, self._over and not terminated, info

    def _ask(self, agent: str) -> tuple[str, dict[str, Any]]:
        """Return what an agent reads now, through its wrapper."""
        seat: int = self.game.possible_agents.index(agent)
        self._streams[seat].read = self.game.observe(agent)[TEXT], dict(self.game.infos[agent])
        view, reply = self._views[seat], self._replies[seat]
        if reply is None:  # it is asked for the first time
            observation, info = view.reset()
        else:
            observation, _, _, _, info = view.step(reply)
        return observation, {**info, "seat": seat}

    def _outcome(self) -> dict[str, Any]:
        """Return what the last reply paid each seat, and which have won."""
        game, agents = self.game, cast("list[str]", self.game.possible_agents)
        return {
            "rewards": tuple(float(game.rewards.get(agent, 0.0)) for agent in agents),
            "wins": tuple(
                self._out[agent][1]
                if agent in self._out
                else bool(game.infos.get(agent, {}).get("success", False))
                for agent in agents
            ),
        }

    def sample_legal_action(self, rng: np.random.Generator) -> str:
        """Return a legal, random reply of the seat that is asked.

        Raises:
            StepOutsideEpisode: There is no episode to move in.
        """
        return self.game.sample_legal_action(rng)

    def render(self) -> Any:
        """Return what the game renders."""
        return self.game.render()

    def close(self) -> None:
        """Close the game."""
        self.game.close()


def _check_texts(game: Any, agent: str) -> None:
    """Refuse a player that reads or writes anything but texts."""
    reads, writes = game.observation_space(agent), game.action_space(agent)
    text: object = cast("Any", reads).spaces.get(TEXT) if isinstance(reads, spaces.Dict) else None
    if not isinstance(text, spaces.Text) or not isinstance(writes, spaces.Text):
        raise ConfigError(
            f"a text game observes Dict({TEXT}=Text) and takes a Text; {agent} of {game} observes "
            f"{reads} and takes {writes}"
        )


class _Seat(gym.Env[str, str]):
    """What one seat reads, as an env that a wrapper can be put around."""

    def __init__(self) -> None:
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self.read: tuple[str, dict[str, Any]] = "", {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        return self.read

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        observation, info = self.read
        return observation, 0.0, False, False, info
