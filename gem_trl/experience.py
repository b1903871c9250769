"""Experience: rollouts turned into mini-batches of rows, and what resuming them needs."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gem_gymnasium import errors
from gem_trl.advantages import ESTIMATORS, GROUPED, Normalized
from gem_trl.config import ReinforceConfig
from gem_trl.distributed import gather
from gem_trl.episode import Episode
from gem_trl.generation import Sampling
from gem_trl.metrics import episode_metrics
from gem_trl.rollout import SAMPLING, SHUFFLING, TRAINING, Collector, derived_seed
from gem_trl.rows import Row, grouped_rows_of, mini_batches, rows_of

logger = logging.getLogger(__name__)

MALFORMED_HINT = (
    "No reply held a move: look at them with log_completions=True; give longer replies room "
    "(max_completion_length), or warm the model up on well-formed ones. "
)


def all_malformed(episodes: Sequence[Episode]) -> bool:
    """Return whether no reply of the episodes was well-formed."""
    return all(turn.event == "malformed" for episode in episodes for turn in episode.turns)


class Experience:
    """Hands out the rows of one optimizer step at a time, rolling out where none wait.

    Every random stream starts anew from (seed, rank, rollout) at each rollout, and no episode is
    under way between optimizer steps; so counters and waiting rows are all there is to save.

    Args:
        args: The configuration.
        collector: Plays the training episodes.
        rank: This process's number.
        score: Called with a rollout's rows, to store log-probabilities in them.
    """

    def __init__(
        self,
        args: ReinforceConfig,
        collector: Collector,
        rank: int,
        score: Callable[[Sequence[Row]], None],
    ) -> None:
        self._args, self._rank, self._score = args, rank, score
        self.collector = collector
        self._metrics: list[dict[str, float]] = [{}]  # of the rollouts since they were taken
        self._metrics_are_new = False
        self.shown: list[Row] = []
        """Some rows of the newest rollout, to print."""
        self.rollouts = 0
        self.tokens = 0
        self._episodes_begun = [0] * collector.envs.num_envs
        self._pending: list[list[Row]] = []
        self._warned = False

    def next_mini_batch(self) -> list[Row]:
        """Return this process's rows of the next optimizer step. A collective call."""
        if not self._pending:
            self._roll_out()
        return self._pending.pop(0)

    def collect_episodes(self) -> list[Episode]:
        """Play the next rollout's episodes on this process."""
        args = self._args

        def seed_of(env: int, place: int) -> int:
            if args.grouped:
                group = (self.rollouts * args.episodes_per_rollout + place) // args.group_size
                return derived_seed(args.seed, TRAINING, self._rank, group)
            number = self._episodes_begun[env]
            self._episodes_begun[env] += 1
            return derived_seed(args.seed, TRAINING, self._rank, env, number)

        sampling = Sampling(
            max_new_tokens=args.max_completion_length,
            temperature=args.temperature,
            top_p=args.top_p,
            top_k=args.top_k,
            min_p=args.min_p,
            repetition_penalty=args.repetition_penalty,
        )
        seed = derived_seed(args.seed, SAMPLING, self._rank, self.rollouts)
        kinds = max(self.collector.envs.kinds) + 1
        return self.collector.collect(
            args.episodes_per_rollout,
            seed_of,
            sampling,
            seed,
            # A group plays one kind of env.
            (lambda place: place // args.group_size % kinds) if args.grouped else None,
        )

    def _roll_out(self) -> None:
        """Play a rollout and queue its mini-batches."""
        args = self._args
        started = time.perf_counter()
        episodes = self.collect_episodes()
        seconds = time.perf_counter() - started
        rows, estimated = self._credit(episodes)
        if estimated.degenerate and not self._warned:
            self._warned = True
            logger.warning(
                "the returns of a rollout are all equal (%.3g): nothing is learned from it. %sThis "
                "warning is not repeated; watch returns/degenerate.",
                estimated.mean,
                MALFORMED_HINT if all_malformed(episodes) else "",
            )
        gathered = gather([(episodes, sum(row.length for row in rows))])
        self.tokens += sum(count for _, count in gathered)
        metrics = {
            **episode_metrics([episode for part, _ in gathered for episode in part]),
            "returns/mean": estimated.mean,
            "returns/std": estimated.std,
            "returns/degenerate": float(estimated.degenerate),
            **self._group_metrics(estimated),
            "num_tokens": float(self.tokens),
            "time/rollout": seconds,
        }
        rows = [row for row in rows if row.trains]
        self._metrics = [*self._metrics, metrics] if self._metrics_are_new else [metrics]
        self._metrics_are_new = True
        self._score(rows)
        self.shown = rows[: args.num_completions_to_print]
        seed = derived_seed(args.seed, SHUFFLING, self._rank, self.rollouts)
        rng = np.random.default_rng(seed)
        self._pending = [
            part
            for _ in range(args.num_iterations)
            for part in mini_batches(rows, args.num_mini_batches, rng)
        ]
        self.rollouts += 1

    def _credit(self, episodes: list[Episode]) -> tuple[list[Row], Normalized]:
        """Return the rows of a rollout with their advantages."""
        args = self._args
        if args.grouped:
            estimate = GROUPED[args.advantage_estimator]
            return grouped_rows_of(episodes, args.group_size, estimate, gather)
        return rows_of(episodes, args.gamma, ESTIMATORS[args.advantage_estimator], gather)

    def _group_metrics(self, estimated: Normalized) -> dict[str, float]:
        """Return the share of groups without any signal, over all processes."""
        if not self._args.grouped:
            return {}
        groups = estimated.advantages.reshape(-1, self._args.group_size)
        dead = gather([float(not group.any()) for group in groups])
        return {"rollout/dead_groups": float(np.mean(dead))}

    def take_metrics(self) -> dict[str, float]:
        """Return the means over the rollouts since the last call, or again the newest rollout's."""
        names = [name for metrics in self._metrics for name in metrics]
        means = {
            name: float(np.mean([m[name] for m in self._metrics if name in m]))
            for name in dict.fromkeys(names)
        }
        if "num_tokens" in means:  # a running total
            means["num_tokens"] = float(self.tokens)
        self._metrics, self._metrics_are_new = self._metrics[-1:], False
        return means

    def _settings(self) -> dict[str, Any]:
        """Return what must be equal where a run resumes: counters and waiting rows depend on it."""
        args = self._args
        names = (
            "seed",
            "episodes_per_rollout",
            "group_size",
            "num_iterations",
            "num_mini_batches",
            "beta",
        )
        values = {name: getattr(args, name) for name in names}
        return {"num_envs": self.collector.envs.num_envs, **values}

    def state_dict(self) -> dict[str, Any]:
        """Return what resuming needs beside the model: counters, and the rows that wait."""
        return {
            "settings": self._settings(),
            "rollouts": self.rollouts,
            "tokens": self.tokens,
            "episodes_begun": list(self._episodes_begun),
            "pending": [
                [{name: getattr(row, name) for name in Row.__slots__} for row in rows]
                for rows in self._pending
            ],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what ``state_dict`` returned.

        Raises:
            ConfigError: It was saved with another setting that the counters or rows depend on.
        """
        for name, here in self._settings().items():
            if state["settings"][name] != here:
                raise errors.ConfigError(
                    f"the checkpoint was saved with {name}={state['settings'][name]}, and a run "
                    f"that resumes it cannot have {name}={here}"
                )
        self.rollouts, self.tokens = state["rollouts"], state["tokens"]
        self._episodes_begun = list(state["episodes_begun"])
        self._pending = [[Row(**row) for row in rows] for rows in state["pending"]]
