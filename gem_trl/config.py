"""ReinforceConfig: TRL's config, plus what turn-level training needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from gem_gymnasium import errors
from gem_gymnasium.tools import check_tool_name
from gem_trl._compat import BaseConfig
from gem_trl.advantages import ESTIMATORS, GROUPED
from gem_trl.vllm_config import VLLMConfig

AGGREGATIONS = ("constant", "sequence_sum", "token_mean")
TRUNCATED_REPLIES = ("penalize", "mask")
HISTORIES = ("text", "messages", "none")
SCOPES = ("batch", "env", "role")
TRANSITION_SAMPLING = ("all", "subsample")


@dataclass
class ReinforceConfig(VLLMConfig, BaseConfig):
    r"""Configuration of :class:`ReinforceTrainer`.

    Only the parameters that :class:`transformers.TrainingArguments` lacks or whose default differs
    are listed; those of vLLM in :class:`gem_trl.vllm_config.VLLMConfig`. A rollout is
    ``episodes_per_rollout`` whole episodes on each process; its rows (one a turn) feed
    ``num_iterations * num_mini_batches`` optimizer steps, in micro-batches of
    ``per_device_train_batch_size`` sequences, so ``gradient_accumulation_steps`` stays 1. A row has
    a sequence to itself, but in a chat that only grows (``history="messages"``) the rows of an
    episode share one.

    Args:
        model_init_kwargs (`dict`, *optional*): Passed to `from_pretrained` when `model` is a name.
        disable_dropout (`bool`, defaults to `True`): Set every dropout rate of the model to 0.

        > Parameters that control the environments

        num_envs (`int`, defaults to 16): Environments on each process, stepped at the same time.
        episodes_per_rollout (`int`, defaults to 64): Episodes on each process and rollout.
        transition_sampling (`str`, defaults to `"all"`): Which turns of a rollout train: `"all"`,
            or a random `"subsample"` of exactly `transitions_per_rollout`, for which more blocks of
            `episodes_per_rollout` are played as needed.
        transitions_per_rollout (`int`, *optional*): Turns on each process that a subsample keeps.
        num_rollouts (`int`, defaults to 100): Length of the training; `max_steps` wins if set.
        history (`str`, defaults to `"text"`): Layout of the History wrapper added to an env that
            has none: `"text"`, `"messages"`, or `"none"`. A VectorEnv is taken as it is.
        history_kwargs (`dict`, *optional*): Its other options.
        tools (`list[str]`, *optional*): Names of tools, such as `python` or `search:wiki`; a
            ToolUse wrapper with them is added to an env that has none.
        tool_kwargs (`dict`, *optional*): Its other options, such as `max_tool_uses` or `preset`.
        max_turns_per_episode (`int`, defaults to 10,000): Turns after which an episode is
            truncated, for envs that never end by themselves.
        step_timeout_s (`float`, defaults to 600): Seconds after which an env counts as failed.
        opponent_share (`float`, defaults to 0): Share of the games of several players in which an
            earlier self, frozen, plays all seats but one; the policy plays all seats of the others.
        opponent_pool_size (`int`, defaults to 8): How many earlier selves are kept.
        opponent_interval (`int`, defaults to 10): Rollouts after which the pool gets a new one.

        > Parameters that control generation

        max_completion_length (`int`, defaults to 512): Tokens of the longest reply.
        max_context_length (`int`, *optional*): Tokens of prompt and reply together; a longer
            prompt ends its episode. Defaults to the model's `max_position_embeddings`.
        temperature, top_p, top_k, min_p, repetition_penalty: How training replies are sampled.
        prompt_template (`str`, defaults to `"none"`): For models without a chat template.
        chat_template_kwargs (`dict`, *optional*): Passed to `apply_chat_template`.
        truncated_replies (`str`, defaults to `"penalize"`): A reply without end of sequence gives
            the env an empty reply (`"penalize"`), or its text with the row masked (`"mask"`).

        > Parameters that control credit and loss

        gamma (`float`, defaults to 0.9): Discount per turn.
        advantage_estimator (`str`, defaults to `"rebn"`): `"rebn"` or `"reinforce"` credit each
            turn with its own discounted return; `"ppo"` with its generalised advantage over what a
            critic expects. `"grpo"`, `"dr_grpo"` and `"rloo"` credit whole episodes, compared
            within groups that share a seed, and want `gamma=1`.
        rebn_scope (`str`, defaults to `"batch"`): `rebn` (and `ppo`) normalise over the turns of
            the whole batch, as in the paper, of each `"env"` id apart, or of each `"role"`: a seat
            of a game that the policy plays with itself.
        gae_lambda (`float`, defaults to 0.95): Of `ppo`: 0 trusts the critic, 1 the rewards.
        critic_learning_rate (`float`, defaults to 1e-5): Of the critic's own optimizer; constant.
        critic_model_name_or_path (`str`, *optional*): What the critic starts from; the policy's
            own body, copied, if unset.
        value_clip (`float`, *optional*, defaults to 0.2): How far an update may move a value
            before its gradient is cut; in units of the return. Unset: no clipping.
        group_size (`int`, defaults to 8): Episodes of such a group; divides
            `episodes_per_rollout`.
        loss_aggregation (`str`, defaults to `"constant"`): What the summed token losses are
            divided by: `"constant"` (rows times `max_completion_length`), `"sequence_sum"` (rows)
            or `"token_mean"` (tokens).
        num_iterations (`int`, defaults to 1): Passes over a rollout's rows.
        num_mini_batches (`int`, defaults to 1): Optimizer steps a pass.
        epsilon, epsilon_high: How far the ratio may move before it is clipped.
        beta (`float`, defaults to 0): Weight of the KL divergence from the initial model.
        entropy_coef (`float`, defaults to 0): Weight of the entropy bonus.

        > Parameters that control evaluation and logging

        eval_episodes (`int`, defaults to 64): Episodes of an evaluation, over all processes.
        eval_seed (`int`, defaults to 0): Their seeds are a stream that training cannot draw.
        eval_temperature (`float`, defaults to 0): 0 is greedy.
        log_completions (`bool`, defaults to `False`): Print a table of replies at each log.
        num_completions_to_print (`int`, defaults to 8): Its rows.
    """

    _VALID_DICT_FIELDS = [  # noqa: RUF012 - not a field, as in TrainingArguments
        *BaseConfig._VALID_DICT_FIELDS,
        "model_init_kwargs",
        "history_kwargs",
        "tool_kwargs",
        "chat_template_kwargs",
    ]

    learning_rate: float = field(
        default=1e-6, metadata={"help": "The initial learning rate of AdamW."}
    )
    gradient_checkpointing: bool | None = field(  # pyright: ignore[reportIncompatibleVariableOverride]  # None: not set
        default=None,
        metadata={"help": "Older name of activation_checkpointing, which is off by default."},
    )
    logging_steps: float = field(default=1, metadata={"help": "Log every X optimizer steps."})

    model_init_kwargs: dict[str, Any] | str | None = field(
        default=None,
        metadata={"help": "Keyword arguments for `from_pretrained` when the model is a name."},
    )
    disable_dropout: bool = field(
        default=True, metadata={"help": "Whether to set every dropout rate of the model to 0."}
    )

    num_envs: int = field(default=16, metadata={"help": "Environments on each process."})
    episodes_per_rollout: int = field(
        default=64, metadata={"help": "Whole episodes on each process that a rollout plays."}
    )
    transition_sampling: str = field(
        default="all",
        metadata={
            "help": "Which turns train: all, or a random subsample of transitions_per_rollout."
        },
    )
    transitions_per_rollout: int | None = field(
        default=None,
        metadata={"help": "Turns on each process that transition_sampling=subsample keeps."},
    )
    num_rollouts: int = field(
        default=100, metadata={"help": "Rollouts to train on; `max_steps` wins if it is set."}
    )
    history: str = field(
        default="text",
        metadata={
            "help": "How an env without a History wrapper shows the past: text, messages or none."
        },
    )
    history_kwargs: dict[str, Any] | str | None = field(
        default=None, metadata={"help": "Other options of the History wrapper."}
    )
    tools: list[str] | None = field(
        default=None,
        metadata={"help": "Tools that the model may call, by name: python, search:wiki."},
    )
    tool_kwargs: dict[str, Any] | str | None = field(
        default=None, metadata={"help": "Other options of the ToolUse wrapper."}
    )
    max_turns_per_episode: int = field(
        default=10_000, metadata={"help": "Turns after which an episode is truncated."}
    )
    step_timeout_s: float = field(
        default=600.0, metadata={"help": "Seconds after which a stuck env counts as failed."}
    )
    opponent_share: float = field(
        default=0.0,
        metadata={"help": "Share of the games of several players with an earlier self in them."},
    )
    opponent_pool_size: int = field(
        default=8, metadata={"help": "Earlier selves that are kept; the oldest goes."}
    )
    opponent_interval: int = field(
        default=10, metadata={"help": "Rollouts after which the pool gets a new one."}
    )

    max_completion_length: int = field(
        default=512, metadata={"help": "Tokens of the longest reply."}
    )
    max_context_length: int | None = field(
        default=None,
        metadata={"help": "Tokens of prompt and reply together; the model's own limit if unset."},
    )
    temperature: float = field(default=1.0, metadata={"help": "Temperature of training replies."})
    top_p: float = field(default=1.0, metadata={"help": "Nucleus sampling; 1 is off."})
    top_k: int = field(default=0, metadata={"help": "Sample among the k likeliest; 0 is off."})
    min_p: float | None = field(
        default=None, metadata={"help": "Least probability relative to the likeliest token."}
    )
    repetition_penalty: float = field(
        default=1.0, metadata={"help": "Penalty on tokens that the context holds; 1 is off."}
    )
    prompt_template: str = field(
        default="none",
        metadata={
            "help": "For models without a chat template: none, game, question, code, or a text "
            "that holds {observation}."
        },
    )
    chat_template_kwargs: dict[str, Any] | str | None = field(
        default=None, metadata={"help": "Keyword arguments for `apply_chat_template`."}
    )
    truncated_replies: str = field(
        default="penalize",
        metadata={
            "help": "A reply without end of sequence: penalize (the env gets an empty one) or mask."
        },
    )

    gamma: float = field(default=0.9, metadata={"help": "Discount per turn, at most 1."})
    advantage_estimator: str = field(
        default="rebn",
        metadata={
            "help": "rebn (Return Batch Normalization) or reinforce: each turn's own return; ppo: "
            "its advantage over a critic; grpo, dr_grpo or rloo: the whole episode's return within "
            "groups of one seed (gamma=1)."
        },
    )
    rebn_scope: str = field(
        default="batch",
        metadata={
            "help": "Normalise over the whole batch, each env id apart (env), or each seat of a "
            "game (role)."
        },
    )
    gae_lambda: float = field(
        default=0.95, metadata={"help": "Of ppo: 0 trusts the critic, 1 the rewards."}
    )
    critic_learning_rate: float = field(
        default=1e-5, metadata={"help": "Learning rate of ppo's critic; constant."}
    )
    critic_model_name_or_path: str | None = field(
        default=None,
        metadata={"help": "What ppo's critic starts from; a copy of the policy's body if unset."},
    )
    value_clip: float | None = field(
        default=0.2,
        metadata={"help": "How far an update may move the critic's value, in units of return."},
    )
    group_size: int = field(
        default=8, metadata={"help": "Episodes of one seed that grpo, dr_grpo and rloo compare."}
    )
    loss_aggregation: str = field(
        default="constant",
        metadata={
            "help": "Divide the summed token losses by rows * max_completion_length (constant), "
            "rows (sequence_sum) or tokens (token_mean)."
        },
    )
    num_iterations: int = field(default=1, metadata={"help": "Passes over the rows of a rollout."})
    num_mini_batches: int = field(default=1, metadata={"help": "Optimizer steps in each pass."})
    epsilon: float = field(default=0.2, metadata={"help": "Lower (and upper) clip of the ratio."})
    epsilon_high: float | None = field(
        default=None, metadata={"help": "Upper clip of the ratio; epsilon if unset."}
    )
    beta: float = field(
        default=0.0, metadata={"help": "Weight of the KL divergence from the initial model."}
    )
    entropy_coef: float = field(default=0.0, metadata={"help": "Weight of the entropy bonus."})

    eval_episodes: int = field(
        default=64, metadata={"help": "Episodes of an evaluation, over all processes."}
    )
    eval_seed: int = field(default=0, metadata={"help": "Seed of the evaluation's episodes."})
    eval_temperature: float = field(
        default=0.0, metadata={"help": "Temperature of evaluation replies; 0 is greedy."}
    )
    log_completions: bool = field(
        default=False, metadata={"help": "Whether to print a table of replies at each log."}
    )
    num_completions_to_print: int = field(
        default=8, metadata={"help": "Rows of the table of replies."}
    )

    def __post_init__(self) -> None:
        """Validate, and choose float32 where there is no accelerator.

        Raises:
            ConfigError: A value is refused; the message names the field and the value.
        """
        if self.bf16 is None and (self.use_cpu or not torch.accelerator.is_available()):
            self.bf16 = False
        super().__post_init__()
        for name in (
            *("num_envs", "episodes_per_rollout", "num_rollouts", "num_iterations"),
            "opponent_pool_size",
            "opponent_interval",
            "num_mini_batches",
            "max_completion_length",
            "eval_episodes",
            "max_turns_per_episode",
            "per_device_train_batch_size",
        ):
            self._at_least(name, 1)
        for name in ("beta", "entropy_coef", "epsilon", "eval_temperature", "top_k", "eval_seed"):
            self._at_least(name, 0)
        for name, least in (("epsilon_high", 0), ("max_context_length", 1)):
            if getattr(self, name) is not None:
                self._at_least(name, least)
        positive = ["temperature", "step_timeout_s", "repetition_penalty", "critic_learning_rate"]
        if self.value_clip is not None:
            positive.append("value_clip")
        for name in positive:
            if not getattr(self, name) > 0:  # not-a-number neither
                raise errors.ConfigError(f"{name} must be above 0, got {getattr(self, name)}")
        for name in ("gamma", "gae_lambda", "opponent_share"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise errors.ConfigError(
                    f"{name} must be at least 0 and at most 1, got {getattr(self, name)}"
                )
        if not 0.0 < self.top_p <= 1.0:
            raise errors.ConfigError(f"top_p must be above 0 and at most 1, got {self.top_p}")
        if self.history == "none" and self.history_kwargs:
            raise errors.ConfigError(
                f"history='none' takes no history_kwargs, got {self.history_kwargs}"
            )
        self._one_of("advantage_estimator", (*ESTIMATORS, "ppo", *GROUPED))
        if self.grouped:
            self._check_groups()
        self._one_of("rebn_scope", SCOPES)
        if self.rebn_scope != "batch" and self.advantage_estimator not in ("rebn", "ppo"):
            raise errors.ConfigError(
                f"rebn_scope={self.rebn_scope!r} is for advantage_estimator='rebn' or 'ppo', got "
                f"{self.advantage_estimator!r}"
            )
        self._check_transitions()
        self._one_of("loss_aggregation", AGGREGATIONS)
        self._one_of("truncated_replies", TRUNCATED_REPLIES)
        self._one_of("history", HISTORIES)
        self._check_tools()
        self.check_vllm()
        if self.gradient_accumulation_steps != 1:
            raise errors.ConfigError(
                "gradient_accumulation_steps must be 1: the rows of a mini-batch are split into "
                "micro-batches of per_device_train_batch_size sequences by themselves, got "
                f"{self.gradient_accumulation_steps}"
            )

    @property
    def grouped(self) -> bool:
        """Whether episodes are compared within groups that share a seed."""
        return self.advantage_estimator in GROUPED

    def _check_tools(self) -> None:
        if isinstance(self.tools, str):  # a file may name one
            self.tools = [self.tools]
        for tool in self.tools or ():
            check_tool_name(tool)
        if self.tool_kwargs and not self.tools:
            raise errors.ConfigError(f"tool_kwargs without tools, got {self.tool_kwargs}")

    def _check_transitions(self) -> None:
        self._one_of("transition_sampling", TRANSITION_SAMPLING)
        wanted = self.transitions_per_rollout
        if (self.transition_sampling == "subsample") != (wanted is not None):
            raise errors.ConfigError(
                "transition_sampling='subsample' and transitions_per_rollout go together, got "
                f"{self.transition_sampling!r} and {wanted}"
            )
        if wanted is not None:
            self._at_least("transitions_per_rollout", 1)

    def _check_groups(self) -> None:
        self._at_least("group_size", 2)
        if self.episodes_per_rollout % self.group_size:
            raise errors.ConfigError(
                "group_size must divide episodes_per_rollout, got "
                f"{self.group_size} and {self.episodes_per_rollout}"
            )
        if self.gamma != 1.0:
            raise errors.ConfigError(
                f"advantage_estimator={self.advantage_estimator!r} credits whole episodes: set "
                f"gamma=1.0, got {self.gamma}"
            )

    @property
    def context_limit(self) -> int | None:
        """Tokens of prompt and reply together, as far as the configuration limits them."""
        lengths = (self.max_context_length, self.vllm_max_model_length if self.use_vllm else None)
        return min((length for length in lengths if length is not None), default=None)

    @property
    def steps_per_rollout(self) -> int:
        """Optimizer steps that the rows of one rollout feed."""
        return self.num_iterations * self.num_mini_batches

    def _at_least(self, name: str, least: int) -> None:
        if getattr(self, name) < least:
            raise errors.ConfigError(f"{name} must be at least {least}, got {getattr(self, name)}")

    def _one_of(self, name: str, known: tuple[str, ...]) -> None:
        if getattr(self, name) not in known:
            raise errors.UnknownName(name, str(getattr(self, name)), known)
