"""Evaluation: the same episodes each time, shared out over the processes."""

from __future__ import annotations

from collections.abc import Callable

from gem_trl.config import ReinforceConfig
from gem_trl.distributed import gather
from gem_trl.episode import Episode
from gem_trl.generation import Sampling
from gem_trl.rollout import EVALUATION, EVALUATION_SAMPLING, Collector, derived_seed


class Evaluation:
    """Plays ``eval_episodes`` episodes whose seeds training cannot draw.

    Args:
        args: The configuration.
        open_collector: Builds the envs and what plays in them; called at the first evaluation.
        rank: This process's number.
        world: How many processes there are.
    """

    def __init__(
        self, args: ReinforceConfig, open_collector: Callable[[], Collector], rank: int, world: int
    ) -> None:
        self._args, self._open_collector = args, open_collector
        self._rank, self._world = rank, world
        self._collector: Collector | None = None

    def play(self) -> list[Episode]:
        """Return the episodes of all processes. A collective call."""
        args = self._args
        if self._collector is None:
            self._collector = self._open_collector()
        mine = range(self._rank, args.eval_episodes, self._world)
        kinds = len(self._collector.envs.weights)
        sampling = Sampling(
            max_new_tokens=args.max_completion_length, temperature=args.eval_temperature
        )
        episodes = self._collector.collect(
            len(mine),
            lambda env, place: derived_seed(args.eval_seed, EVALUATION, mine[place]),
            sampling,
            derived_seed(args.eval_seed, EVALUATION_SAMPLING, self._rank),
            [number % kinds for number in mine],
        )
        return [episode for part in gather([episodes]) for episode in part]

    def close(self) -> None:
        """Close the environments, if there ever were any."""
        if self._collector is not None:
            self._collector.envs.close()
