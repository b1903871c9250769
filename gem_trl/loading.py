"""Model and tokenizer as the trainer takes them: loaded by name, and made fit for training."""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import copy
from typing import Any, cast

import torch
from transformers import AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from gem_gymnasium import errors
from gem_trl import _compat
from gem_trl.config import ReinforceConfig
from gem_trl.generation import eos_ids_of


def load(
    model: str | PreTrainedModel, tokenizer: PreTrainedTokenizerBase | None, args: ReinforceConfig
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Return model and tokenizer, loaded if given by name; a padding token is set.

    Raises:
        ConfigError: ``args.model_init_kwargs`` come with a model that is there already, or there
            is no name to load a tokenizer by.
    """
    if isinstance(model, str):
        options = cast("dict[str, Any]", args.model_init_kwargs or {})
        model = _compat.create_model_from_path(model, **options)
    elif args.model_init_kwargs:
        raise errors.ConfigError("model_init_kwargs are for a model given by name")
    if tokenizer is None:
        name = _compat.get_config_model_id(model.config)
        if not name:
            raise errors.ConfigError(
                "the model has no name to load a tokenizer by: pass one as processing_class"
            )
        options = cast("dict[str, Any]", args.model_init_kwargs or {})
        shared = {key: options[key] for key in ("revision", "trust_remote_code") if key in options}
        tokenizer = cast("PreTrainedTokenizerBase", AutoTokenizer.from_pretrained(name, **shared))
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token_id = eos_ids_of(model, tokenizer)[0]
    return model, tokenizer


def prepare(
    model: PreTrainedModel, args: ReinforceConfig, peft_config: Any
) -> tuple[PreTrainedModel, PreTrainedModel | None, bool]:
    """Return the policy, the frozen reference of the KL term, and whether the head is fused.

    On accelerators the policy gets TRL's fused head. On a CPU that head would score every prompt
    position too, and it computes in float32 whatever the model's dtype.
    """
    reference = None
    if args.beta and peft_config is None:  # an adapter is its own reference, switched off
        reference = copy.deepcopy(model).eval()
        reference.requires_grad_(False)
    fused = args.device.type != "cpu" and model.dtype != torch.float64
    if fused:
        for network in filter(None, (model, reference)):
            _compat.add_fused_lm_head(
                network, temperature=args.temperature, outputs=("log_probs", "entropy")
            )
    if peft_config is not None:
        from peft import get_peft_model

        model = cast("PreTrainedModel", get_peft_model(model, peft_config))
    if args.disable_dropout:  # the adapter's too
        _compat.disable_dropout_in_model(model)
    return model, reference, fused
