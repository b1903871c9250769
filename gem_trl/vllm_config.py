"""The options of vLLM generation, under TRL's names and with TRL's defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from gem_gymnasium import errors

VLLM_MODES = ("colocate", "server")
CORRECTIONS = ("token_truncate", "token_mask", "sequence_truncate", "sequence_mask")


@dataclass
class VLLMConfig:
    r"""What :class:`ReinforceConfig` says about vLLM.

    Args:
        use_vllm (`bool`, defaults to `False`): Generate with vLLM.
        vllm_mode (`str`, defaults to `"colocate"`): `"colocate"` runs vLLM in the training
            processes, `"server"` asks a running `vllm serve`.
        vllm_model_impl (`str`, defaults to `"vllm"`): `"vllm"`, `"transformers"` or `"auto"`.
        vllm_enable_sleep_mode (`bool`, defaults to `False`): Free the engine's memory between
            rollouts (colocate mode, on GPUs).
        vllm_server_base_url (`str`, *optional*): Wins over host and port.
        vllm_server_host (`str`, defaults to `"0.0.0.0"`): Host of the server.
        vllm_server_port (`int`, defaults to 8000): Its port.
        vllm_server_timeout (`float`, defaults to 240): Seconds to wait for the server to be up.
        vllm_group_port (`int`, defaults to 51216): Port over which the weights travel.
        vllm_gpu_memory_utilization (`float`, defaults to 0.3): Share of each GPU's memory (on a
            CPU: of the machine's) for the colocated engine.
        vllm_max_model_length (`int`, *optional*): As `max_context_length`; the smaller of both
            counts.
        vllm_tensor_parallel_size (`int`, defaults to 1): Processes that share a colocated engine.
        vllm_importance_sampling_correction (`bool`, defaults to `True`): Weigh the loss by the
            ratio of the trainer's probability of a reply to the sampler's.
        vllm_importance_sampling_mode (`str`, defaults to `"sequence_mask"`): The ratio is of each
            `token` or of the whole reply (`sequence`); outside the limits it is clipped
            (`truncate`) or set to 0 (`mask`).
        vllm_importance_sampling_clip_max (`float`, *optional*, defaults to 3): Upper limit.
        vllm_importance_sampling_clip_min (`float`, *optional*): Lower limit.
    """

    use_vllm: bool = field(default=False, metadata={"help": "Whether to generate with vLLM."})
    vllm_mode: str = field(
        default="colocate",
        metadata={"help": "colocate (in the training processes) or server (`vllm serve`)."},
    )
    vllm_model_impl: str = field(
        default="vllm", metadata={"help": "Model implementation: vllm, transformers or auto."}
    )
    vllm_enable_sleep_mode: bool = field(
        default=False,
        metadata={"help": "Whether to free the colocated engine's memory between rollouts."},
    )
    vllm_server_base_url: str | None = field(
        default=None, metadata={"help": "URL of the vLLM server; wins over host and port."}
    )
    vllm_server_host: str = field(default="0.0.0.0", metadata={"help": "Host of the vLLM server."})
    vllm_server_port: int = field(default=8000, metadata={"help": "Port of the vLLM server."})
    vllm_server_timeout: float = field(
        default=240.0, metadata={"help": "Seconds to wait for the vLLM server to be up."}
    )
    vllm_group_port: int = field(
        default=51216, metadata={"help": "Port over which the weights reach the vLLM server."}
    )
    vllm_gpu_memory_utilization: float = field(
        default=0.3, metadata={"help": "Share of each GPU's memory for the colocated engine."}
    )
    vllm_max_model_length: int | None = field(
        default=None,
        metadata={"help": "As max_context_length; the smaller of both counts."},
    )
    vllm_tensor_parallel_size: int = field(
        default=1, metadata={"help": "Processes that share a colocated engine."}
    )
    vllm_importance_sampling_correction: bool = field(
        default=True,
        metadata={
            "help": "Whether to weigh the loss by the trainer's probability of a reply over "
            "the sampler's."
        },
    )
    vllm_importance_sampling_mode: str = field(
        default="sequence_mask",
        metadata={
            "help": "Ratio of each token or of the whole reply; clipped or set to 0 outside the "
            "limits: token_truncate, token_mask, sequence_truncate or sequence_mask."
        },
    )
    vllm_importance_sampling_clip_max: float | None = field(
        default=3.0, metadata={"help": "Upper limit of the importance ratio."}
    )
    vllm_importance_sampling_clip_min: float | None = field(
        default=None, metadata={"help": "Lower limit of the importance ratio."}
    )

    def check_vllm(self) -> None:
        """Validate.

        Raises:
            ConfigError: A value is refused; the message names the field and the value.
        """
        for name, known in (
            ("vllm_mode", VLLM_MODES),
            ("vllm_model_impl", ("vllm", "transformers", "auto")),
            ("vllm_importance_sampling_mode", CORRECTIONS),
        ):
            if getattr(self, name) not in known:
                raise errors.UnknownName(name, str(getattr(self, name)), known)
        for name in ("vllm_tensor_parallel_size", "vllm_max_model_length"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise errors.ConfigError(f"{name} must be at least 1, got {value}")
        if not 0.0 < self.vllm_gpu_memory_utilization <= 1.0:
            raise errors.ConfigError(
                "vllm_gpu_memory_utilization must be above 0 and at most 1, got "
                f"{self.vllm_gpu_memory_utilization}"
            )
        low, high = self.vllm_importance_sampling_clip_min, self.vllm_importance_sampling_clip_max
        if low is not None and high is not None and low >= high:
            raise errors.ConfigError(
                "vllm_importance_sampling_clip_min must be below "
                f"vllm_importance_sampling_clip_max, got {low} and {high}"
            )
        for name, value in (("min", low), ("max", high)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise errors.ConfigError(
                    f"vllm_importance_sampling_clip_{name} must be above 0 and finite, got {value}"
                )
        if low is None and high is None:
            raise errors.ConfigError(
                f"vllm_importance_sampling_mode={self.vllm_importance_sampling_mode!r} needs a "
                "limit: vllm_importance_sampling_clip_max or _clip_min"
            )
