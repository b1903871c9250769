"""ReinforceTrainer: turn-level policy gradients for text environments, in TRL's shape.

A rollout plays whole episodes and becomes rows, one a turn; its rows feed a fixed number of
optimizer steps. So transformers' loop runs over a data set of ticks, and each tick is one
optimizer step over as many rows as there are.
"""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, cast

import torch
from accelerate.utils import (  # pyright: ignore[reportMissingTypeStubs]  # it ships none
    set_seed,
)
from torch import Tensor
from torch.utils.data import DataLoader, Dataset
from transformers import (
    PreTrainedModel,
    PreTrainedTokenizerBase,
    TrainerCallback,
)
from transformers.trainer import DEFAULT_PROGRESS_CALLBACK

from gem_gymnasium import errors
from gem_trl import _compat
from gem_trl.callbacks import progress_callback
from gem_trl.config import ReinforceConfig
from gem_trl.critic import Critic, CriticLearner, build_critic
from gem_trl.distributed import (
    accumulating,
    check_processes,
    check_sharding,
    gather,
    whole_weights,
)
from gem_trl.envs import EnvSource, open_envs
from gem_trl.evaluation import EvaluatingTrainer
from gem_trl.experience import Experience
from gem_trl.exploitability import Exploitability
from gem_trl.generation import (
    Generator,
    TransformersGenerator,
    eos_ids_of,
    max_prompt_tokens,
)
from gem_trl.importance import weigh
from gem_trl.loading import load, prepare
from gem_trl.loss import normalizer, policy_loss
from gem_trl.metrics import Averages, add_loss
from gem_trl.nonfinite import NonFiniteGuard, leave_out_nonfinite
from gem_trl.opponents import FrozenOpponents
from gem_trl.prompts import PromptEncoder
from gem_trl.rollout import Collector
from gem_trl.rows import Row, empty_row, share_of
from gem_trl.scoring import Scorer


class _Ticks(Dataset[dict[str, int]]):
    """One item an optimizer step; transformers' loop needs something to count."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> dict[str, int]:
        return {"tick": index}


class ReinforceTrainer(EvaluatingTrainer):
    """Train a language model on text environments by turn-level REINFORCE.

    Example::

        trainer = ReinforceTrainer(
            model="Qwen/Qwen3-0.6B",
            args=ReinforceConfig("out", gamma=0.9),
            env="gem/GuessTheNumber-v0",
        )
        trainer.train()

    Args:
        model: A model, or the name or path of one (loaded with ``args.model_init_kwargs``).
        args: Configuration; the defaults if None.
        env: An id, a list of ids or of ``(id, weight)`` (the share of episodes), a callable that
            builds an env, or a :class:`gymnasium.vector.VectorEnv` of text envs.
        eval_env: The same for evaluation; built from ``env`` if None and ``env`` is no VectorEnv.
            A list shares the episodes out equally, whatever the weights.
        processing_class: The tokenizer; loaded from the model's name if None.
        callbacks: More callbacks.
        optimizers: ``(optimizer, scheduler)``, each None for the default.
        peft_config: Train this PEFT adapter instead of the model's own weights.

    Raises:
        ConfigError: An argument is refused; the message names it.
    """

    loss_is_scaled_for_ga = True
    _tag_names = ["trl", "gem"]  # noqa: RUF012 - TRL's own convention
    _name = "Turn-level REINFORCE"
    _paper = {  # noqa: RUF012
        "title": "GEM: A Gym for Agentic LLMs",
        "id": "2510.01051",
        "citation": "@article{liu2025gem, title={{GEM: A Gym for Agentic LLMs}}, year=2025, "
        "eprint={arXiv:2510.01051}}",
    }

    def __init__(
        self,
        model: str | PreTrainedModel,
        args: ReinforceConfig | None = None,
        env: EnvSource | None = None,
        eval_env: EnvSource | None = None,
        processing_class: PreTrainedTokenizerBase | None = None,
        callbacks: list[TrainerCallback] | None = None,
        optimizers: tuple[Any, Any] = (None, None),
        peft_config: Any = None,
    ) -> None:
        if env is None:
            raise errors.ConfigError(
                "env is missing: an id, a list of ids, a callable, a VectorEnv"
            )
        if args is None:
            name = model if isinstance(model, str) else _compat.get_config_model_id(model.config)
            args = ReinforceConfig(f"{(name or 'model').rsplit('/', 1)[-1]}-Reinforce")
        set_seed(args.seed)
        model, processing_class = load(model, processing_class, args)
        critic = self.build_critic(model, args) if args.advantage_estimator == "ppo" else None
        model, reference, fused = prepare(model, args, peft_config)
        if args.max_steps <= 0:
            args.max_steps = args.num_rollouts * args.steps_per_rollout
        super().__init__(
            model=model,
            args=args,
            data_collator=_first,
            train_dataset=_Ticks(args.max_steps),
            # Trainer insists on one where it evaluates by itself; evaluate() never reads it.
            eval_dataset=_Ticks(1),
            processing_class=processing_class,
            callbacks=callbacks,
            optimizers=optimizers,
        )
        check_processes(self.accelerator)
        check_sharding(
            self.accelerator, use_vllm=args.use_vllm, opponents=bool(args.opponent_share)
        )
        self._guard = NonFiniteGuard(self.accelerator)
        if not args.disable_tqdm:
            self.remove_callback(DEFAULT_PROGRESS_CALLBACK)  # in a notebook, another one
            self.add_callback(progress_callback())
        if hasattr(model, "add_model_tags"):
            model.add_model_tags(self._tag_names)
        self._scorer = Scorer(
            self.accelerator,
            None if reference is None else cast("Any", reference).to(self.accelerator.device),
            pad_id=cast("Any", processing_class).pad_token_id,
            temperature=args.temperature,
            fused=fused,
            batch_size=args.per_device_train_batch_size,
        )
        self._encoder = PromptEncoder(
            processing_class,
            args.prompt_template,
            cast("Mapping[str, Any] | None", args.chat_template_kwargs),
        )
        self._max_prompt_tokens = max_prompt_tokens(
            model, args.context_limit, args.max_completion_length
        )
        self._generator = self.build_generator()
        self._critic = None
        if critic is not None:
            pad_id = cast("Any", processing_class).pad_token_id
            self._critic = CriticLearner(critic, self.accelerator, args, pad_id)
        self._opponents = self._build_opponents()
        self._experience = Experience(
            args,
            self._open(env, args.num_envs),
            self.accelerator.process_index,
            self._score,
            None if self._critic is None else self._critic.values_of,
            self._opponents,
        )
        self._exploitability = Exploitability(
            self._experience.collector.envs.games,
            self._encoder.encode,
            self._encoder.encode_reply,
            lambda rows: self._scorer.store_old(self.model, rows),
            max_prompt_tokens=self._max_prompt_tokens,
            max_reply_tokens=args.max_completion_length,
        )
        self._set_up_evaluation(env, eval_env)
        self._averages = Averages()

    # -- set-up ---------------------------------------------------------------------------------

    @property
    def _config(self) -> ReinforceConfig:
        return cast("ReinforceConfig", self.args)

    def build_critic(self, policy: PreTrainedModel, args: ReinforceConfig) -> Critic:
        """Return PPO's critic, for a policy that has no adapter yet; override for another one."""
        return build_critic(policy, args)

    def build_generator(self) -> Generator:
        """Return where replies come from; override to generate elsewhere."""
        tokenizer: Any = self.processing_class
        eos_ids = eos_ids_of(self.model, tokenizer)
        if self._config.use_vllm:
            from gem_trl.vllm import build  # an extra, and slow to import

            length = self._max_prompt_tokens + self._config.max_completion_length
            return build(self.model, tokenizer, self._config, self.accelerator, eos_ids, length)
        return TransformersGenerator(
            self._open_model,
            eos_ids=eos_ids,
            pad_id=tokenizer.pad_token_id,
            device=self.accelerator.device,
        )

    def _build_opponents(self) -> FrozenOpponents | None:
        args, tokenizer = self._config, cast("Any", self.processing_class)
        if not args.opponent_share:
            return None
        return FrozenOpponents(
            lambda: cast("Any", self.accelerator.unwrap_model(self.model)),
            size=args.opponent_pool_size,
            interval=args.opponent_interval,
            share=args.opponent_share,
            eos_ids=eos_ids_of(self.model, tokenizer),
            pad_id=tokenizer.pad_token_id,
            device=self.accelerator.device,
            autocast=cast("Any", self.accelerator).autocast,
        )

    def _open_model(self) -> AbstractContextManager[Any]:
        return cast(
            "AbstractContextManager[Any]",
            _compat.unwrap_model_for_generation(self.model_wrapped, self.accelerator),
        )

    def _open(self, source: EnvSource, num_envs: int) -> Collector:
        args = self._config
        envs = open_envs(
            source,
            num_envs,
            args.history,
            cast("Mapping[str, Any]", args.history_kwargs or {}),
            args.step_timeout_s,
            args.tools or (),
            cast("Mapping[str, Any]", args.tool_kwargs or {}),
        )
        return Collector(
            envs,
            self._encoder,
            self._generator,
            max_prompt_tokens=self._max_prompt_tokens,
            max_turns=args.max_turns_per_episode,
            truncated_replies=cast("Any", args.truncated_replies),
        )

    def get_train_dataloader(self) -> DataLoader[Any]:
        """Return a loader of ticks, one for each optimizer step on every process."""
        return DataLoader(cast("Any", self.train_dataset), batch_size=1, collate_fn=_first)

    def _set_signature_columns_if_needed(self) -> None:
        self._signature_columns = ["tick"]

    def floating_point_ops(self, inputs: Any) -> int:
        """Return 0: a tick says nothing about the rows of its step."""
        return 0

    # -- optimization ---------------------------------------------------------------------------

    def _score(self, rows: Sequence[Row]) -> None:
        """Store the log-probabilities that the loss will need in the rows of a rollout."""
        if self._config.steps_per_rollout > 1:
            self._scorer.store_old(self.model, rows)
        if self._config.beta:
            self._scorer.store_reference(self.model, rows)

    def training_step(
        self, model: Any, inputs: Any, num_items_in_batch: Tensor | int | None = None
    ) -> Tensor:
        """Accumulate the gradient of one mini-batch, rolling out first where none waits."""
        started = time.perf_counter()
        self._guard.check_weights(model)
        model.eval()
        with whole_weights(self.accelerator, model):
            rows = self._experience.next_mini_batch()
        rolled_out = time.perf_counter()
        self.state.num_input_tokens_seen = self._experience.tokens
        model.train()
        args, world = self._config, self.accelerator.num_processes
        share = share_of(
            rows,
            args.per_device_train_batch_size,
            gather,
            empty_row(with_reference=bool(args.beta), with_value=self._critic is not None),
        )
        divisor = normalizer(
            cast("Any", args.loss_aggregation), share.rows, share.tokens, args.max_completion_length
        )
        # DDP averages the gradients of the processes; the sum over all of them is wanted.
        divisor /= world
        total = torch.zeros((), device=self.accelerator.device)
        for number, part in enumerate(share.parts, start=1):
            with accumulating(self.accelerator, model, last=number == len(share.parts)):
                with self.compute_loss_context_manager():
                    loss = self.compute_loss(model, {"rows": part, "divisor": divisor})
                self._guard.check_loss(loss)
                self.accelerator.backward(loss)
            total += loss.detach().to(total.dtype)
        skipped = self._guard.skips(model, total)
        self._averages.add("skipped_steps", float(skipped))
        self._averages.add("nonfinite_rows", 0.0, float(self.accelerator.is_main_process))
        total = torch.zeros_like(total) if skipped else total
        if self._critic is not None:
            lost = self._critic.learn(share.parts, max(share.rows, 1) / world)
            self._averages.add("critic_skipped_steps", float(lost is None))
            if lost is not None:
                self._averages.add("value_loss", lost)
        finished = time.perf_counter()
        read = sum(row.length for row in rows) * world
        self._averages.add("step_time", finished - started)
        self._averages.add("time/train", finished - rolled_out)
        self._averages.add("tokens_per_s/train", read, finished - rolled_out)
        self._averages.add("rollout/stale_rows", 0 if self._experience.is_fresh else share.rows)
        return total

    def compute_loss(
        self,
        model: Any,
        inputs: Any,
        return_outputs: bool = False,
        num_items_in_batch: Tensor | int | None = None,
    ) -> Any:
        """Return the loss of one micro-batch, its share of the global mini-batch."""
        args = self._config
        batch = self._scorer.collate(model, inputs["rows"])
        log_probs, entropies = self._scorer.log_probs(model, batch)
        log_probs, entropies, batch, dropped = leave_out_nonfinite(log_probs, entropies, batch)
        self._averages.add("nonfinite_rows", dropped, 0.0)  # the steps are counted there
        # Before the first update, the log-probabilities at hand are those of the rollout.
        old = log_probs.detach() if batch.old_log_probs is None else batch.old_log_probs
        result = policy_loss(
            log_probs,
            old,
            batch.advantages,
            batch.mask,
            entropies,
            batch.reference_log_probs,
            weigh(old, batch, args, self._averages),
            divisor=inputs["divisor"],
            epsilon_low=args.epsilon,
            epsilon_high=args.epsilon if args.epsilon_high is None else args.epsilon_high,
            beta=args.beta,
            entropy_coef=args.entropy_coef,
        )
        add_loss(self._averages, result, with_kl=bool(args.beta))
        return (result.loss, {}) if return_outputs else result.loss

    # -- logging --------------------------------------------------------------------------------

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Add the metrics since the last log and pass them on."""
        if "loss" in logs:  # not those of an evaluation or of the end of training
            logs = {**logs, **self._experience.take_metrics(), **self._averages.reduce()}
            if self._config.log_completions and self.accelerator.is_main_process:
                self._print_completions()
        super().log(logs, start_time)

    def _print_completions(self) -> None:
        decode = self._encoder.decode
        _compat.print_prompt_completions_sample(
            [decode(row.prompt_ids) for row in self._experience.shown],
            [decode(row.reply_ids) for row in self._experience.shown],
            {"reward": [row.reward for row in self._experience.shown]},
            [row.advantage for row in self._experience.shown],
            self.state.global_step,
        )

    def close(self) -> None:
        """Close generation and environments; a vector env that the user gave is left open."""
        self._experience.collector.envs.close()
        self._evaluation.close()
        self._generator.close()


def _first(items: list[Any]) -> Any:
    return items[0]
