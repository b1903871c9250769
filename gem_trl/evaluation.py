"""Evaluation: the same episodes each time, shared out over the processes."""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

from gymnasium.vector import VectorEnv

from gem_gymnasium import errors
from gem_trl import games, mixture
from gem_trl.checkpoints import ResumableTrainer
from gem_trl.config import ReinforceConfig
from gem_trl.distributed import gather, whole_weights
from gem_trl.envs import EnvSource, check_source
from gem_trl.episode import Episode
from gem_trl.generation import Sampling
from gem_trl.metrics import evaluation_metrics
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


def evaluation_of(source: EnvSource) -> EnvSource:
    """Return where a policy is evaluated by default: where it trains.

    In a registered game of several players it meets each of our players that plays it, in a seat
    that is drawn: against itself nobody wins.
    """
    if isinstance(source, VectorEnv) or callable(source):
        return source
    ids, _ = mixture.parse([source] if isinstance(source, str) else source)
    return games.with_opponents(ids) if any(map(games.is_game, ids)) else source


def evaluation_envs(args: ReinforceConfig, source: EnvSource) -> int:
    """Return how many envs play an evaluation: ``num_envs``, but one of each kind and no idle one.

    A game that is trained in one env may be evaluated against several opponents.
    """
    kinds = 1
    if not (isinstance(source, str | VectorEnv) or callable(source)):
        kinds = len(mixture.parse(source)[0])
    return min(max(args.num_envs, kinds), args.eval_episodes)


class EvaluatingTrainer(ResumableTrainer):
    """A trainer that evaluates by playing episodes, where transformers would read a data set."""

    def _open(self, source: EnvSource, num_envs: int) -> Collector:
        raise NotImplementedError

    def _set_up_evaluation(self, env: EnvSource, eval_env: EnvSource | None) -> None:
        """Remember where evaluations play, and refuse now what the first of them would fail on."""
        args = cast("ReinforceConfig", self.args)
        source = evaluation_of(env) if eval_env is None else eval_env
        self._can_evaluate = eval_env is not None or not isinstance(env, VectorEnv)
        if args.eval_strategy != "no":
            self._check_evaluation()
        if args.eval_strategy != "no" or eval_env is not None:
            check_source(source, evaluation_envs(args, source))
        self._evaluation = self._evaluation_in(source)

    def evaluate(
        self,
        eval_dataset: Any = None,
        ignore_keys: list[str] | None = None,
        metric_key_prefix: str = "eval",
    ) -> dict[str, float]:
        """Play ``eval_episodes`` fixed episodes and log what they were like.

        Args:
            eval_dataset: Ignored; the episodes come from ``eval_env``.
            ignore_keys: Ignored.
            metric_key_prefix: Put before each metric's name, with an underscore.

        Returns:
            Means over the episodes of all processes; of the poker games that are trained, what
            :mod:`gem_trl.exploitability` measures.
        """
        prefix = f"{metric_key_prefix}_"
        metrics = evaluation_metrics(self.play_evaluation(), prefix)
        with self._evaluating():
            measured = self._exploitability.measure()
        metrics |= {f"{prefix}{name}": value for name, value in measured.items()}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(
            self.args,
            self.state,
            self.control,  # pyright: ignore[reportUnknownArgumentType]  # untyped in transformers
            metrics,
        )
        return metrics

    def play_evaluation(self, env: EnvSource | None = None) -> list[Episode]:
        """Play the evaluation episodes, shared out over the processes, and return them all.

        Args:
            env: Where to play; ``eval_env`` if None. Others are opened and closed again.

        Raises:
            ConfigError: There is no ``env``, and the trainer's is a VectorEnv without ``eval_env``.
        """
        if env is None:
            self._check_evaluation()
        evaluation = self._evaluation if env is None else self._evaluation_in(env)
        with self._evaluating():
            episodes = evaluation.play()
        if env is not None:
            evaluation.close()
        return episodes

    @contextmanager
    def _evaluating(self) -> Generator[None]:
        """Have the model whole, and as it generates, for a while."""
        model: Any = self.model
        was_training = model.training
        model.eval()
        self._guard.check_weights(model)
        with whole_weights(self.accelerator, model):
            yield
        model.train(was_training)

    def _evaluation_in(self, env: EnvSource) -> Evaluation:
        args, accelerator = cast("ReinforceConfig", self.args), self.accelerator
        num_envs = evaluation_envs(args, env)
        return Evaluation(
            args,
            lambda: self._open(env, num_envs),
            accelerator.process_index,
            accelerator.num_processes,
        )

    def _check_evaluation(self) -> None:
        if not self._can_evaluate:
            raise errors.ConfigError("evaluation needs an eval_env where env is a VectorEnv")
