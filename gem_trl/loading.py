"""Model and tokenizer as the trainer takes them: loaded by name, and made fit for training."""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import copy
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import torch
from transformers import AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils.peft_utils import find_adapter_config_file

from gem_gymnasium import errors
from gem_trl import _compat
from gem_trl.config import ReinforceConfig
from gem_trl.generation import eos_ids_of


def load(
    model: str | PreTrainedModel, tokenizer: PreTrainedTokenizerBase | None, args: ReinforceConfig
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Return model and tokenizer, loaded if given by name; a padding token is set.

    Raises:
        ConfigError: There is no such model, ``args.model_init_kwargs`` come with a model that is
            there already, or there is no name to load a tokenizer by.
    """
    if isinstance(model, str):
        options = cast("dict[str, Any]", args.model_init_kwargs or {})
        with _naming(model):
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
        with _naming(name):
            tokenizer = cast(
                "PreTrainedTokenizerBase", AutoTokenizer.from_pretrained(name, **shared)
            )
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token_id = eos_ids_of(model, tokenizer)[0]
    return model, tokenizer


@contextmanager
def _naming(name: str) -> Generator[None]:
    """Say in one sentence what cannot be loaded, where transformers says it in many."""
    try:
        yield
    except (OSError, ValueError) as error:
        # It takes a folder that is not there for a name on the Hub, and says so at length.
        reason = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
        raise errors.ConfigError(
            f"cannot load a model or tokenizer from {name!r}: it must be a folder that "
            f"save_pretrained wrote, or a name on the Hub ({reason})"
        ) from error


def is_adapter(name: str) -> bool:
    """Return whether a name or folder holds a PEFT adapter and not a whole model."""
    if os.path.isfile(os.path.join(name, "config.json")):
        return False
    try:
        return find_adapter_config_file(name) is not None
    except OSError:
        return False  # there is nothing at all, which load() says better


def load_merged(
    name: str, options: Mapping[str, Any]
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Return the model that an adapter belongs to, with the adapter merged in, and its tokenizer.

    Args:
        name: The adapter's folder, or its name on the Hub.
        options: Passed to `from_pretrained`; ``revision`` is the adapter's.

    Raises:
        ConfigError: The adapter or its base model cannot be loaded.
    """
    from peft import PeftConfig, PeftModel

    options = dict(options)
    revision = options.pop("revision", None)
    with _naming(name):
        config = PeftConfig.from_pretrained(name, revision=revision)
        base = cast("str", config.base_model_name_or_path)
    with _naming(base):
        model = _compat.create_model_from_path(base, **options)
    with _naming(name):
        adapted: Any = PeftModel.from_pretrained(model, name, revision=revision)
    try:  # an adapter that a Trainer saved has the tokenizer beside it
        tokenizer = AutoTokenizer.from_pretrained(name, revision=revision)
    except (OSError, ValueError):
        tokenizer = AutoTokenizer.from_pretrained(base)
    return adapted.merge_and_unload(), cast("PreTrainedTokenizerBase", tokenizer)


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
