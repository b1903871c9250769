"""Every name of TRL that is private or not exported at its top level, imported in one place.

When TRL moves one of them, this file is what changes. Tested with TRL 1.16.
"""

from trl.models import unwrap_model_for_generation
from trl.trainer.base_config import _BaseConfig as BaseConfig  # pyright: ignore[reportPrivateUsage]
from trl.trainer.base_trainer import (
    _BaseTrainer as BaseTrainer,  # pyright: ignore[reportPrivateUsage]
)
from trl.trainer.utils import (
    add_fused_lm_head,
    create_model_from_path,
    disable_dropout_in_model,
    get_config_model_id,
    print_prompt_completions_sample,
)

__all__ = [
    "BaseConfig",
    "BaseTrainer",
    "add_fused_lm_head",
    "create_model_from_path",
    "disable_dropout_in_model",
    "get_config_model_id",
    "print_prompt_completions_sample",
    "unwrap_model_for_generation",
]
