"""Where replies come from: a small interface, and sampling with transformers behind it."""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast

import torch
from transformers import GenerationConfig

from gem_gymnasium import errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How to draw a reply. ``temperature`` 0 is greedy; ``top_k`` 0 and ``top_p`` 1 are off."""

    max_new_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float | None = None
    repetition_penalty: float = 1.0


class Reply(NamedTuple):
    """One sampled reply: its ids, and whether an end-of-sequence token (kept) ends it.

    ``log_probs`` are the sampler's own, one a token, where it is not the training model itself;
    NaN where the sampler could not tell.
    """

    ids: tuple[int, ...]
    finished: bool
    log_probs: tuple[float, ...] | None = None


class Generator(Protocol):
    """What a rollout needs of a generation back end."""

    def sync_weights(self) -> None:
        """Take over the policy's present weights; called once before each rollout."""
        ...

    def generate(
        self, prompts: Sequence[Sequence[int]], sampling: Sampling, seed: int
    ) -> list[Reply]:
        """Draw one reply for each prompt of token ids, in order; equal seeds, equal replies."""
        ...

    def finish(self) -> None:
        """Take note that this process's rollout is over; called once after each."""
        ...

    def close(self) -> None:
        """Give back what generation holds."""
        ...


class TransformersGenerator:
    """Sample with ``model.generate`` from the very weights that are trained.

    Args:
        open_model: Returns a context manager that yields the model to generate with (it unwraps
            DDP, gathers shards and switches gradient checkpointing off).
        eos_ids: The tokens that end a reply.
        pad_id: The padding token.
        device: Where the prompts go.
    """

    def __init__(
        self,
        open_model: Callable[[], AbstractContextManager[Any]],
        *,
        eos_ids: Sequence[int],
        pad_id: int,
        device: torch.device,
    ) -> None:
        self._open_model = open_model
        self._eos_ids, self._pad_id, self._device = list(eos_ids), pad_id, device

    def sync_weights(self) -> None:
        """Do nothing: there is one set of weights."""

    def generate(
        self, prompts: Sequence[Sequence[int]], sampling: Sampling, seed: int
    ) -> list[Reply]:
        """Draw one reply for each prompt; torch's own generators are left as they were."""
        if not prompts:
            return []
        width = max(map(len, prompts))
        ids = torch.full((len(prompts), width), self._pad_id)
        mask = torch.zeros((len(prompts), width), dtype=torch.long)
        for row, prompt in enumerate(prompts):
            ids[row, width - len(prompt) :] = torch.tensor(prompt)
            mask[row, width - len(prompt) :] = 1
        devices = [self._device] if self._device.type == "cuda" else []
        with (
            torch.random.fork_rng(devices=devices),
            torch.no_grad(),
            self._open_model() as model,
        ):
            if self._device.type == "cpu":
                # No other device draws anything, and torch.manual_seed notes the stack for each.
                torch.default_generator.manual_seed(seed)
            else:
                torch.manual_seed(seed)
            # transformers fills what a config leaves open from the model's own: only ours counts.
            own, model.generation_config = model.generation_config, self._config(sampling)
            try:
                output = model.generate(
                    input_ids=ids.to(self._device), attention_mask=mask.to(self._device)
                )
            finally:
                model.generation_config = own
        return [self._cut(row) for row in output[:, width:].tolist()]

    def finish(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing: the model is the trainer's."""

    def _config(self, sampling: Sampling) -> GenerationConfig:
        options: dict[str, Any] = {
            "max_new_tokens": sampling.max_new_tokens,
            "repetition_penalty": sampling.repetition_penalty,
            "eos_token_id": self._eos_ids,
            "pad_token_id": self._pad_id,
            "bos_token_id": None,
            "disable_compile": True,
            # A NaN logit in one row would raise for all; its log-probability tells of it later.
            "remove_invalid_values": True,
        }
        if sampling.temperature > 0:
            options |= {
                "do_sample": True,
                "temperature": sampling.temperature,
                "top_p": sampling.top_p,
                "top_k": sampling.top_k,
                "min_p": sampling.min_p,
            }
        else:
            options["do_sample"] = False
        return GenerationConfig(**options)

    def _cut(self, row: list[int]) -> Reply:
        for length, token in enumerate(row, start=1):
            if token in self._eos_ids:
                return Reply(tuple(row[:length]), True)
        return Reply(tuple(row), False)


def eos_ids_of(model: Any, tokenizer: Any) -> list[int]:
    """Return every token that ends a reply, by the tokenizer or the model's generation config.

    Raises:
        ConfigError: There is none, so that no reply would ever end.
    """
    eos = getattr(model.generation_config, "eos_token_id", None)
    ids: set[int | None] = {tokenizer.eos_token_id, *(eos if isinstance(eos, list) else [eos])} - {
        None
    }
    if not ids:
        raise errors.ConfigError("neither the tokenizer nor the model has an end-of-sequence token")
    return sorted(cast("set[int]", ids))


def max_prompt_tokens(model: Any, max_context_length: int | None, max_new_tokens: int) -> int:
    """Return how long a prompt may be, so that the longest reply still fits the context.

    Raises:
        ConfigError: The model states no limit and none is set, or there is no room for a prompt.
    """
    limit = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    limits = [int(length) for length in (limit, max_context_length) if length is not None]
    if not limits:
        raise errors.ConfigError("the model states no context length: set max_context_length")
    room = min(limits) - max_new_tokens
    if room < 1:
        raise errors.ConfigError(
            f"max_completion_length is {max_new_tokens}, which leaves no room for a prompt in a "
            f"context of {min(limits)} tokens"
        )
    return room
