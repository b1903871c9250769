"""TextParallel: a game of several players through PettingZoo's parallel protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gymnasium import spaces
from pettingzoo import ParallelEnv  # pyright: ignore[reportMissingTypeStubs]

from gem_gymnasium.core.errors import ConfigError, StepOutsideEpisode
from gem_gymnasium.multiplayer.aec_base import AECBase, Observation, check_game
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_arena.env import TextArenaAEC

Game = TextAEC[Any, Any, Any] | TextArenaAEC


class TextParallel(ParallelEnv[str, Observation, str]):
    """All agents are told and asked at each step; those act whom the game waits for.

    PettingZoo's own ``aec_to_parallel`` needs one action of every agent in every cycle, which a
    game that asks again does not keep, and its ``turn_based_aec_to_parallel`` knows no simultaneous
    choices. Here a step applies, where all choose at the same time, the choices of all who have yet
    to choose, and else the move of the one whose turn it is (``infos[agent]["to_move"]``). Other
    actions are passed over. A choice behind one that held no legal move waits for that one: its
    player is not asked again (``to_move`` is False).

    Args:
        env: The game: a ``TextAEC``, or one with its ``infos``, such as ``textarena(...)``.

    Raises:
        ConfigError: It is no such game.
    """

    def __init__(self, env: Game) -> None:
        check_game(env, AECBase)
        self.aec_env = env
        self.metadata = env.metadata
        self.possible_agents = env.possible_agents
        self.agents: list[str] = []
        self.render_mode = env.render_mode
        self._waiting: dict[str, str] = {}

    @property
    def unwrapped(self) -> TextParallel:
        """This env."""
        return self

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's observation space."""
        return self.aec_env.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's action space."""
        return self.aec_env.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start an episode; returns what each agent reads, and its info."""
        self.aec_env.reset(seed=seed, options=options)
        self.agents = list(self.aec_env.agents)
        self._waiting = {}
        return self._read(), self._infos()

    def step(
        self, actions: Mapping[str, str]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Apply the replies of those whom the game waits for.

        Returns:
            Observation, reward, terminated, truncated and info of each agent, by name.

        Raises:
            ConfigError: An agent whom the game waits for gave no action, or one that is no str, or
                ``actions`` is no mapping; nothing is applied.
            StepOutsideEpisode: There is no episode to move in.
        """
        env, agents = self.aec_env, self.agents
        if not agents:
            raise StepOutsideEpisode("there is no episode to move in: call reset() before step()")
        if not isinstance(actions, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigError(f"actions must be a dict of replies by agent, got {actions!r}")
        asked = [agent for agent in agents if self._is_asked(agent)]
        for agent in asked:
            action: object = actions.get(agent)
            if not isinstance(action, str):
                raise ConfigError(f"the action of {agent} must be a str, got {action!r}")
        self._waiting.update({agent: actions[agent] for agent in asked})
        rewards = dict.fromkeys(agents, 0.0)
        while env.agent_selection in self._waiting and not self._is_over():
            env.step(self._waiting.pop(env.agent_selection))
            for each in agents:
                rewards[each] += env.rewards[each]
        terminations, truncations = dict(env.terminations), dict(env.truncations)
        observations, infos = self._read(), self._infos()
        if self._is_over():
            self.agents, self._waiting = [], {}
        return observations, rewards, terminations, truncations, infos

    def _is_over(self) -> bool:
        return any(self.aec_env.terminations.values()) or any(self.aec_env.truncations.values())

    def _is_asked(self, agent: str) -> bool:
        """Return whether the game waits for an agent that has not chosen yet."""
        return self.aec_env.infos[agent]["to_move"] and agent not in self._waiting

    def render(self) -> Any:
        """Return what the game renders."""
        return self.aec_env.render()

    def close(self) -> None:
        """Close the game."""
        self.aec_env.close()

    def _read(self) -> dict[str, Observation]:
        return {agent: self.aec_env.observe(agent) for agent in self.agents}

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {
            agent: {**self.aec_env.infos[agent], "to_move": self._is_asked(agent)}
            for agent in self.agents
        }


def parallel(env_class: type[TextAEC[Any, Any, Any]]) -> Callable[..., TextParallel]:
    """Return a game's ``parallel_env``: it takes the arguments of the game's class."""

    def parallel_env(**kwargs: Any) -> TextParallel:
        return TextParallel(env_class(**kwargs))

    return parallel_env
