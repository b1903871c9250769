"""How good a player is: success, turns and normalized score, each with its 95 % interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, cast

import gymnasium as gym
import numpy as np

Z95 = 1.959964
"""Two-sided 95 % quantile of the normal distribution."""


class Player(Protocol):
    """What plays an env by itself: a solver, or a random or sloppy player."""

    def reset(self, observation: str, info: dict[str, Any]) -> None:
        """Start an episode."""
        ...

    def act(self, observation: str, info: dict[str, Any]) -> str:
        """Return the next reply."""
        ...


class Played(NamedTuple):
    """One episode as it is scored."""

    total_reward: float
    turns: int
    success: bool


class Interval(NamedTuple):
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float


class Score(NamedTuple):
    """A player's figures over a set of episodes."""

    success: Interval
    turns: Interval
    """Over all episodes; one that was not won counts as the full turn budget."""
    total_reward: Interval

    def normalized(self, random: Score, solver: Score) -> Interval:
        """Return the return on the scale where ``random`` is 0 and ``solver`` is 1."""
        return normalized(self.total_reward, random.total_reward.mean, solver.total_reward.mean)


def normalized(value: Interval, random: float, solver: float) -> Interval:
    """Return a mean return on the scale where ``random`` is 0 and ``solver`` is 1.

    As in :class:`gem_gymnasium.wrappers.NormalizeScore`, a return of 0 scores 0 where random play
    is no worse than the solver (20 turns for 20 numbers).
    """
    zero = random if random < solver else 0.0
    return Interval(*((bound - zero) / (solver - zero) for bound in value))


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean with its normal 95 % interval (sample standard deviation)."""
    array = np.asarray(values, np.float64)
    mean = float(array.mean())
    half = Z95 * float(array.std(ddof=1)) / np.sqrt(array.size) if array.size > 1 else np.inf
    return Interval(mean, mean - half, mean + half)


def share_interval(successes: int, total: int) -> Interval:
    """Return a share with Wilson's 95 % interval (J. Am. Stat. Assoc. 22, 1927)."""
    share = successes / total
    scale = 1.0 + Z95**2 / total
    center = (share + Z95**2 / (2 * total)) / scale
    half = Z95 / scale * np.sqrt(share * (1 - share) / total + Z95**2 / (4 * total**2))
    return Interval(share, max(0.0, center - half), min(1.0, center + half))


def score_of(episodes: Sequence[Played], max_turns: int) -> Score:
    """Return the figures of a set of episodes of one turn budget."""
    return Score(
        share_interval(sum(episode.success for episode in episodes), len(episodes)),
        mean_interval([e.turns if e.success else max_turns for e in episodes]),
        mean_interval([episode.total_reward for episode in episodes]),
    )


def play(env: gym.Env[Any, Any], player: Player, seeds: Sequence[int]) -> list[Played]:
    """Let a player play one episode a seed.

    Args:
        env: The env.
        player: Who plays.
        seeds: Of the episodes.
    """
    played: list[Played] = []
    for seed in seeds:
        observation, info = env.reset(seed=seed)
        player.reset(observation, info)
        total, over = 0.0, False
        while not over:
            reply = player.act(observation, info)
            observation, reward, terminated, truncated, info = env.step(reply)
            total, over = total + float(reward), terminated or truncated
        played.append(Played(total, cast("int", info["turn"]), cast("bool", info["success"])))
    return played
