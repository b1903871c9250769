"""Every name of TRL that is private or not exported at its top level, imported in one place.

When TRL moves one of them, this file is what changes. Tested with TRL 1.16.
"""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from trl.models.utils import unwrap_model_for_generation
from trl.scripts.utils import TrlParser
from trl.trainer import base_config, base_trainer
from trl.trainer.model_config import ModelConfig
from trl.trainer.utils import (
    add_fused_lm_head,
    create_model_from_path,
    disable_dropout_in_model,
    get_config_model_id,
    get_peft_config,
    get_quantization_config,
    print_prompt_completions_sample,
)

BaseConfig = base_config._BaseConfig  # pyright: ignore[reportPrivateUsage]  # no public name
BaseTrainer = base_trainer._BaseTrainer  # pyright: ignore[reportPrivateUsage]  # no public name

__all__ = [
    "BaseConfig",
    "BaseTrainer",
    "ModelConfig",
    "TrlParser",
    "add_fused_lm_head",
    "create_model_from_path",
    "disable_dropout_in_model",
    "get_config_model_id",
    "get_peft_config",
    "get_quantization_config",
    "print_prompt_completions_sample",
    "unwrap_model_for_generation",
]
