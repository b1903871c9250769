"""Averages that are right across micro-batches and processes: sums and counts, added up late."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gem_trl.distributed import gather
from gem_trl.episode import Episode
from gem_trl.loss import Loss


class Averages:
    """Weighted means collected by name on each process, and reduced over all of them at a log."""

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}
        self._extremes: dict[str, tuple[float, Callable[[float, float], float]]] = {}

    def add(self, name: str, total: float, weight: float = 1.0) -> None:
        """Add ``weight`` values that sum to ``total``."""
        pair = self._sums.setdefault(name, [0.0, 0.0])
        pair[0] += float(total)
        pair[1] += float(weight)

    def extreme(self, name: str, value: float, pick: Callable[[float, float], float]) -> None:
        """Keep the lowest (``pick=min``) or highest (``max``) value."""
        before, _ = self._extremes.get(name, (value, pick))
        self._extremes[name] = pick(before, value), pick

    def reduce(self) -> dict[str, float]:
        """Return each name's mean or extreme over all processes, and forget. A collective call."""
        merged, parts = Averages(), gather([(self._sums, self._extremes)])
        for sums, extremes in parts:
            for name, (total, weight) in sums.items():
                merged.add(name, total, weight)
            for name, (value, pick) in extremes.items():
                merged.extreme(name, value, pick)
        self._sums, self._extremes = {}, {}
        means = {name: total / weight for name, (total, weight) in merged._sums.items() if weight}
        return means | {name: value for name, (value, _) in merged._extremes.items()}

    def state_dict(self) -> dict[str, Any]:
        """Return what was collected on this process since the last log."""
        extremes = {name: (value, pick is max) for name, (value, pick) in self._extremes.items()}
        return {"sums": self._sums, "extremes": extremes}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what ``state_dict`` returned."""
        self._sums = state["sums"]
        self._extremes = {
            name: (value, max if highest else min)
            for name, (value, highest) in state["extremes"].items()
        }


def add_loss(averages: Averages, loss: Loss, *, with_kl: bool) -> None:
    """Add what one micro-batch's loss reports of its tokens.

    Args:
        averages: Where to.
        loss: The loss.
        with_kl: Whether it has a KL term.
    """
    tokens = float(loss.tokens)
    low, high = float(loss.clipped_low_sum), float(loss.clipped_high_sum)
    averages.add("entropy", float(loss.entropy_sum), tokens)
    averages.add("approx_kl", float(loss.moved_sum), tokens)
    averages.add("clip_ratio/low_mean", low, tokens)
    averages.add("clip_ratio/high_mean", high, tokens)
    averages.add("clip_ratio/region_mean", low + high, tokens)
    if with_kl:
        averages.add("kl", float(loss.kl_sum), tokens)


def episode_metrics(episodes: Sequence[Episode], prefix: str = "") -> dict[str, float]:
    """Return what a set of episodes looked like; returns and lengths over the valid ones.

    Args:
        episodes: Episodes of every process.
        prefix: Put before each name (``"eval_"``).
    """
    valid = [episode for episode in episodes if episode.valid]
    metrics = {
        "rollout/episodes": float(len(episodes)),
        "rollout/invalid_episodes": float(len(episodes) - len(valid)),
        "rollout/context_stops": float(sum(episode.stop == "context" for episode in episodes)),
        "rollout/transitions": float(sum(len(episode.turns) for episode in episodes)),
    }
    if valid:
        returns = np.array([episode.total_reward for episode in valid])
        metrics |= {
            "reward": float(returns.mean()),
            "reward_std": float(returns.std()),
            "episode/return": float(returns.mean()),
            "episode/length": float(np.mean([len(episode.turns) for episode in valid])),
            "episode/success": float(np.mean([episode.success for episode in valid])),
            "episode/truncated": float(np.mean([episode.truncated for episode in valid])),
        }
    sampled = [t.log_probs for e in episodes for t in e.turns if t.log_probs is not None]
    if sampled:
        unknown = sum(not math.isfinite(sum(log_probs)) for log_probs in sampled)
        metrics["sampling/nan_rows"] = float(unknown)
    turns = [turn for episode in valid for turn in episode.turns]
    if turns:
        lengths = np.array([len(turn.reply_ids) for turn in turns])
        finished = np.array([turn.finished for turn in turns])
        metrics |= {
            "episode/tool_uses": sum(turn.event == "tool" for turn in turns) / len(valid),
            "episode/illegal_share": float(np.mean([not turn.legal for turn in turns])),
            "completions/mean_length": float(lengths.mean()),
            "completions/min_length": float(lengths.min()),
            "completions/max_length": float(lengths.max()),
            "completions/clipped_ratio": float(1.0 - finished.mean()),
            "completions/unique_ratio": len({turn.reply_ids for turn in turns}) / len(turns),
        }
        if finished.any():
            metrics["completions/mean_terminated_length"] = float(lengths[finished].mean())
    return {f"{prefix}{name}": value for name, value in metrics.items()}


def metrics_by_env(episodes: Sequence[Episode], prefix: str = "") -> dict[str, float]:
    """Return ``env/<id>/...`` for each id, or nothing where all episodes are of one.

    Of a game that the policy plays with itself, ``env/<id>/player_<seat>/...`` for each seat too.

    Args:
        episodes: Episodes of every process.
        prefix: Put before each name (``"eval_"``).
    """
    by_id: dict[str, list[Episode]] = {}
    by_seat: dict[str, dict[str, list[Episode]]] = {}
    for episode in episodes:
        id = episode.env_id
        by_id.setdefault(id, []).append(episode)
        name = f"{id}/player_{episode.seat}"
        by_seat.setdefault(id, {}).setdefault(name, []).append(episode)
    groups = by_id if len(by_id) > 1 else {}
    for seats in by_seat.values():
        groups = {**groups, **seats} if len(seats) > 1 else groups
    names = {
        "rollout/episodes": "episodes",
        "rollout/invalid_episodes": "invalid_episodes",
        "rollout/transitions": "transitions",
        "episode/return": "return",
        "episode/length": "length",
        "episode/success": "success",
        "episode/illegal_share": "illegal_share",
    }
    return {
        f"{prefix}env/{id}/{short}": metrics[name]
        for id, some in sorted(groups.items())
        for metrics in [episode_metrics(some)]
        for name, short in names.items()
        if name in metrics
    }


def evaluation_metrics(episodes: Sequence[Episode], prefix: str) -> dict[str, float]:
    """Return what an evaluation measured.

    What a best model is chosen by is NaN where no episode was valid, so that none is chosen by it.

    Args:
        episodes: Episodes of every process.
        prefix: Put before each name.
    """
    scores = ("reward", "episode/return", "episode/success")
    return {
        **{f"{prefix}{name}": math.nan for name in scores},
        **episode_metrics(episodes, prefix),
        **metrics_by_env(episodes, prefix),
    }


def speed_metrics(
    episodes: Sequence[Episode], seconds: Sequence[Mapping[str, float]]
) -> dict[str, float]:
    """Return how long each phase of a rollout took, and the sampled tokens a second in it.

    Args:
        episodes: Episodes of every process.
        seconds: Of each phase, of every process; the slowest counts.
    """
    tokens = sum(len(turn.reply_ids) for episode in episodes for turn in episode.turns)
    slowest = {phase: max(some[phase] for some in seconds) for phase in seconds[0]}
    times = {f"time/{phase}": spent for phase, spent in slowest.items()}
    rates = {
        f"tokens_per_s/{phase}": tokens / spent for phase, spent in slowest.items() if spent > 0
    }
    return times | rates
