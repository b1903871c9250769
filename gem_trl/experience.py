"""Experience: rollouts turned into mini-batches of rows, and what resuming them needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gem_gymnasium import errors
from gem_trl import credit
from gem_trl.config import ReinforceConfig
from gem_trl.credit import Credit, Values
from gem_trl.distributed import gather
from gem_trl.episode import Episode
from gem_trl.generation import Sampling
from gem_trl.metrics import episode_metrics, metrics_by_env, speed_metrics
from gem_trl.mixture import draw_kinds
from gem_trl.opponents import FrozenOpponents
from gem_trl.rollout import (
    MIXING,
    OPPONENTS,
    SAMPLING,
    SHUFFLING,
    SUBSAMPLING,
    TRAINING,
    Collector,
    derived_seed,
)
from gem_trl.rows import Row, mini_batches
from gem_trl.watch import RolloutWatch


def training_turns(episodes: Sequence[Episode]) -> int:
    """Return how many turns of the episodes can become rows of an update."""
    return sum(turn.trains for episode in episodes if episode.valid for turn in episode.turns)


class Experience:
    """Hands out the rows of one optimizer step at a time, rolling out where none wait.

    Every random stream starts anew from (seed, rank, rollout) at each rollout, and no episode is
    under way between optimizer steps; so counters and waiting rows are all there is to save.

    Args:
        args: The configuration.
        collector: Plays the training episodes.
        rank: This process's number.
        score: Called with a rollout's rows, to store log-probabilities in them.
        values_of: What a critic says of the episodes; None where there is none.
        opponents: Earlier selves, for games of several players; None where there are none.

    Raises:
        ConfigError: Games of several players with an estimator that compares groups, or what only
            these have without any.
    """

    def __init__(
        self,
        args: ReinforceConfig,
        collector: Collector,
        rank: int,
        score: Callable[[Sequence[Row]], None],
        values_of: Callable[[Sequence[Episode]], list[Values]] | None = None,
        opponents: FrozenOpponents | None = None,
    ) -> None:
        self._args, self._rank, self._score = args, rank, score
        self._values_of, self._opponents = values_of, opponents
        several = max(collector.envs.seats) > 1
        alone = {"opponent_share": args.opponent_share > 0, "rebn_scope": args.rebn_scope == "role"}
        for name, given in alone.items():
            if given and not several:
                ids = dict.fromkeys(map(collector.envs.env_id, range(collector.envs.num_envs)))
                raise errors.ConfigError(
                    f"{name}={getattr(args, name)!r} is for games of several players all of whose "
                    f"seats the policy plays, such as gem/KuhnPoker-v0, got {', '.join(ids)}"
                )
        if args.grouped and several:
            raise errors.ConfigError(
                f"advantage_estimator={args.advantage_estimator!r} compares episodes of one seed, "
                "and a game that the policy plays with itself is several: use 'rebn'"
            )
        self.collector = collector
        self._metrics: list[dict[str, float]] = [{}]  # of the rollouts since they were taken
        self._metrics_are_new = False
        self.shown: list[Row] = []
        """Some rows of the newest rollout, to print."""
        self.rollouts = 0
        self._blocks = 0  # of episodes; more than rollouts where some took several
        self.tokens = 0
        self._episodes_begun = [0] * collector.envs.num_envs
        self._pending: list[list[Row]] = []
        self._watch = RolloutWatch()

    def next_mini_batch(self) -> list[Row]:
        """Return this process's rows of the next optimizer step. A collective call."""
        if not self._pending:
            self._roll_out()
        return self._pending.pop(0)

    @property
    def is_fresh(self) -> bool:
        """Whether no optimizer step was taken yet on the newest rollout."""
        return len(self._pending) == self._args.steps_per_rollout - 1

    def collect_episodes(self) -> list[Episode]:
        """Play the next block of episodes on this process."""
        args = self._args
        block = self._blocks
        self._blocks += 1
        each = args.group_size if args.grouped else 1  # a group plays one kind of env
        groups = args.episodes_per_rollout // each
        rng = np.random.default_rng(derived_seed(args.seed, MIXING, self._rank, block))
        envs = self.collector.envs
        drawn = draw_kinds(groups, envs.weights, rng)
        kinds = [drawn[place // each] for place in range(args.episodes_per_rollout)]
        opponent = None
        if self._opponents is not None:
            rng = np.random.default_rng(derived_seed(args.seed, OPPONENTS, self._rank, block))
            opponent = self._opponents.invite([envs.seats[kind] for kind in kinds], rng)

        def seed_of(env: int, place: int) -> int:
            if args.grouped:
                return derived_seed(args.seed, TRAINING, self._rank, block * groups + place // each)
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
        return self.collector.collect(
            args.episodes_per_rollout,
            seed_of,
            sampling,
            derived_seed(args.seed, SAMPLING, self._rank, block),
            kinds,
            opponent,
        )

    def _play(self) -> tuple[list[Episode], dict[str, float]]:
        """Play a rollout's episodes; return them, and the seconds that each phase took."""
        wanted = self._args.transitions_per_rollout
        episodes: list[Episode] = []
        seconds: dict[str, float] = {}
        while True:
            block = self.collect_episodes()
            episodes += block
            for phase, spent in self.collector.seconds.items():
                seconds[phase] = seconds.get(phase, 0.0) + spent
            if wanted is None:
                return episodes, seconds
            # Where every episode of a block failed, more of them would hardly help. All processes
            # play as many blocks: pushing the weights to vLLM may want all of them.
            enough = training_turns(episodes) >= wanted or not training_turns(block)
            if all(gather([enough])):
                seed = derived_seed(self._args.seed, SUBSAMPLING, self._rank, self.rollouts)
                rng = np.random.default_rng(seed)
                return credit.subsample(episodes, wanted, rng), seconds

    def _roll_out(self) -> None:
        """Play a rollout and queue its mini-batches."""
        args = self._args
        started = time.perf_counter()
        if self._opponents is not None:
            self._opponents.see(self.rollouts)
        episodes, spent = self._play()
        seconds = time.perf_counter() - started
        credited = self._credit(episodes)
        rows = credited.rows
        gathered = gather([(episodes, sum(row.length for row in rows), spent)])
        self.tokens += sum(count for _, count, _ in gathered)
        everyone = [episode for part, _, _ in gathered for episode in part]
        self._watch.see(everyone, credited.metrics)
        rows = [row for row in rows if row.trains]
        metrics = {
            **episode_metrics(everyone),
            **metrics_by_env(everyone),
            **speed_metrics(everyone, [spent for _, _, spent in gathered]),
            **credited.metrics,
            "num_tokens": float(self.tokens),
            "time/rollout": seconds,
        }
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

    def _credit(self, episodes: list[Episode]) -> Credit:
        """Return the rows of a rollout with their advantages."""
        args = self._args
        estimator, scope = args.advantage_estimator, args.rebn_scope
        if args.grouped:
            return credit.by_group(episodes, estimator, args.group_size, gather=gather)
        if self._values_of is not None:
            values = self._values_of(episodes)
            return credit.by_gae(
                episodes, values, args.gamma, args.gae_lambda, scope=scope, gather=gather
            )
        return credit.by_turn(episodes, estimator, args.gamma, scope=scope, gather=gather)

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
        names = [
            "seed",
            "episodes_per_rollout",
            "advantage_estimator",
            "transitions_per_rollout",
            "num_iterations",
            "num_mini_batches",
            "beta",
        ]
        if args.grouped:
            names.append("group_size")
        values = {name: getattr(args, name) for name in names}
        processes = len(gather([None]))
        return {"num_envs": self.collector.envs.num_envs, "processes": processes, **values}

    def state_dict(self) -> dict[str, Any]:
        """Return what resuming needs beside the model: counters, metrics, rows that wait."""
        return {
            "settings": self._settings(),
            "rollouts": self.rollouts,
            "blocks": self._blocks,
            "tokens": self.tokens,
            "episodes_begun": list(self._episodes_begun),
            "metrics": list(self._metrics),
            "metrics_are_new": self._metrics_are_new,
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
            saved = state["settings"].get(name)
            if saved != here:
                raise errors.ConfigError(
                    f"the checkpoint was saved with {name}={saved}, and a run that resumes it "
                    f"cannot have {name}={here}"
                )
        self.rollouts, self.tokens = state["rollouts"], state["tokens"]
        self._blocks = state["blocks"]
        self._episodes_begun = list(state["episodes_begun"])
        self._metrics, self._metrics_are_new = state["metrics"], state["metrics_are_new"]
        self._pending = [[Row(**row) for row in rows] for rows in state["pending"]]
