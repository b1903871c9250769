"""The critic of PPO: a model of its own that says what a turn's prompt is worth."""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, cast

import torch
from torch import Tensor, nn
from transformers import AutoModel, PreTrainedModel

from gem_gymnasium import errors
from gem_trl import _compat
from gem_trl.batch import Batch, collate
from gem_trl.config import ReinforceConfig
from gem_trl.credit import Values, bootstraps
from gem_trl.episode import Episode
from gem_trl.nonfinite import NonFiniteGuard
from gem_trl.rows import Row, micro_batches


class Critic(nn.Module):
    """A language model's body with one number for a head, which starts at 0.

    Args:
        body: A causal transformer without a language-model head.
    """

    def __init__(self, body: PreTrainedModel) -> None:
        super().__init__()
        self.body = body
        width = int(body.config.get_text_config().hidden_size)
        wide = torch.float64 if body.dtype == torch.float64 else torch.float32
        self.head = nn.Linear(width, 1, dtype=wide, device=body.device)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def places(self, batch: Batch) -> Tensor:
        """Return the column (B,) at which each row's value is read: its last prompt token.

        A causal model has read the whole prompt only there.
        """
        return batch.starts - 1

    def forward(self, batch: Batch) -> Tensor:
        """Return the value (B,) of each row's prompt."""
        hidden = self.body(**batch.inputs, use_cache=False).last_hidden_state
        read = hidden[batch.sequences, self.places(batch)]
        with torch.autocast(read.device.type, enabled=False):  # half precision is too coarse here
            return self.head(read.to(self.head.weight.dtype)).squeeze(-1)


def build_critic(policy: PreTrainedModel, args: ReinforceConfig) -> Critic:
    """Return a critic with the policy's own body, copied, or the one that the config names."""
    if args.critic_model_name_or_path is None:
        body = cast("PreTrainedModel", copy.deepcopy(policy.base_model))
        body.requires_grad_(True)
    else:
        given = cast("dict[str, Any]", args.model_init_kwargs or {})
        # The policy's revision says nothing of another model; its dtype does: in half precision
        # the small steps of a critic would be lost.
        options = {"dtype": policy.dtype, **given}
        options.pop("revision", None)
        try:
            loaded = AutoModel.from_pretrained(args.critic_model_name_or_path, **options)
        except OSError as error:
            raise errors.ConfigError(
                f"critic_model_name_or_path {args.critic_model_name_or_path!r} cannot be loaded: "
                f"{error}"
            ) from error
        body = cast("PreTrainedModel", loaded)
        _check_fits(body, policy)
    if args.disable_dropout:
        _compat.disable_dropout_in_model(body)
    if args.gradient_checkpointing:
        body.gradient_checkpointing_enable()
    return Critic(body)


def _check_fits(body: PreTrainedModel, policy: PreTrainedModel) -> None:
    """Refuse a critic that cannot read what the policy reads."""
    theirs, ours = body.config.get_text_config(), policy.config.get_text_config()
    for name in ("vocab_size", "max_position_embeddings"):
        needed, given = getattr(ours, name, None), getattr(theirs, name, None)
        if needed is not None and given is not None and given < needed:
            raise errors.ConfigError(
                f"the critic's {name} must be at least the policy's, got {given} and {needed}"
            )


def value_loss(
    values: Tensor,  # (B,)
    old_values: Tensor,  # (B,)
    targets: Tensor,  # (B,)
    mask: Tensor,  # (B,)
    *,
    divisor: float,
    clip: float | None,
) -> Tensor:
    r"""Return half the squared error, summed over rows and divided by ``divisor``.

    With ``clip``, the larger of the errors of :math:`V` and of :math:`V` held within ``clip`` of
    its old value, so that one update cannot move it far (as in OpenAI's PPO).

    Args:
        values: Of each row's prompt, now.
        old_values: The same before the update.
        targets: What the values should be.
        mask: 1 for rows that train, 0 for filler.
        divisor: Rows of the global mini-batch.
        clip: None for no clipping.
    """
    errors_squared = (values - targets) ** 2
    if clip is not None:
        held = old_values + (values - old_values).clamp(-clip, clip)
        errors_squared = torch.maximum(errors_squared, (held - targets) ** 2)
    return 0.5 * (errors_squared * mask).sum() / divisor


class CriticLearner:
    """Trains a critic beside the policy, with an optimizer of its own at a constant rate.

    Args:
        critic: The critic.
        accelerator: Places the critic, and averages its gradients over the processes.
        args: The configuration.
        pad_id: The padding token.

    Raises:
        ConfigError: Training is sharded (FSDP, DeepSpeed), which takes one model only.
    """

    def __init__(
        self, critic: Critic, accelerator: Any, args: ReinforceConfig, pad_id: int
    ) -> None:
        kind = str(accelerator.distributed_type.value)
        if kind in ("FSDP", "DEEPSPEED", "MEGATRON_LM", "TP"):
            raise errors.ConfigError(
                f"advantage_estimator='ppo' trains two models, which {kind} cannot: use DDP"
            )
        self._accelerator, self._args, self._pad_id = accelerator, args, pad_id
        self.critic = critic
        # Its own backward pass does not go through accelerate's scaler.
        self._guard = NonFiniteGuard(accelerator, "critic", scaled=False)
        self._model: Any = accelerator.prepare_model(critic)
        self._optimizer = torch.optim.AdamW(
            critic.parameters(),
            lr=args.critic_learning_rate,
            betas=(args.adam_beta1, args.adam_beta2),
            eps=args.adam_epsilon,
            weight_decay=args.weight_decay,
        )

    @torch.no_grad()
    def values_of(self, episodes: Sequence[Episode]) -> list[Values]:
        """Return the value of each turn's prompt, and of the state that an episode was cut off in.

        Args:
            episodes: Of this process.
        """
        rows: list[Row] = []
        for number, episode in enumerate(episodes):
            prompts = [(turn.prompt_ids, turn.reply_ids) for turn in episode.turns]
            if bootstraps(episode):
                prompts.append((episode.final_prompt_ids, (self._pad_id,)))
            rows += [
                Row(prompt_ids=prompt, reply_ids=reply, advantage=0.0, episode=number)
                for prompt, reply in prompts
            ]
        self._guard.check_weights(self.critic)
        self.critic.eval()
        read: dict[int, float] = {}
        for part in micro_batches(rows, self._args.per_device_train_batch_size):
            batch = self._collate(part)
            with self._accelerator.autocast():
                values = self.critic(batch)
            read.update(zip(map(id, part), values.tolist(), strict=True))
        self.critic.train()
        in_order = iter([read[id(row)] for row in rows])
        return [
            Values(
                tuple(next(in_order) for _ in episode.turns),
                next(in_order) if bootstraps(episode) else 0.0,
            )
            for episode in episodes
        ]

    def learn(self, parts: Sequence[Sequence[Row]], divisor: float) -> float | None:
        """Take one optimizer step on a mini-batch and return the loss. A collective call.

        None if the step was skipped, since something was not finite.

        Args:
            parts: Its micro-batches, of rows that hold values and targets; as many on every
                process.
            divisor: Rows of the global mini-batch, over the number of processes.
        """
        total = 0.0
        for number, part in enumerate(parts, start=1):
            batch = self._collate(part)
            assert batch.values is not None
            assert batch.value_targets is not None
            last = number == len(parts)
            with nullcontext() if last else self._accelerator.no_sync(self._model):
                with self._accelerator.autocast():
                    values = self._model(batch)
                loss = value_loss(
                    values,
                    batch.values,
                    batch.value_targets,
                    batch.mask[:, 0],
                    divisor=divisor,
                    clip=self._args.value_clip,
                )
                loss.backward()
            total += loss.item()
        if self._args.max_grad_norm > 0:
            nn.utils.clip_grad_norm_(self.critic.parameters(), self._args.max_grad_norm)
        skipped = self._guard.skips(self._model, torch.tensor(total))
        if not skipped:
            self._optimizer.step()
        self._optimizer.zero_grad()
        return None if skipped else total

    def state_dict(self) -> dict[str, Any]:
        """Return what resuming needs: weights, the optimizer's state, how many steps it missed."""
        return {
            "critic": self.critic.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "guard": self._guard.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what ``state_dict`` returned."""
        self.critic.load_state_dict(state["critic"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._guard.load_state_dict(state["guard"])
        for group in self._optimizer.param_groups:
            group["lr"] = self._args.critic_learning_rate  # which may have been changed

    def _collate(self, rows: Sequence[Row]) -> Batch:
        dtype = self.critic.head.weight.dtype
        return collate(rows, self._pad_id, self._accelerator.device, dtype)
