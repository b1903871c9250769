"""What the trainer needs to know of several processes: a collective, gradients, sharded weights."""

# torch and accelerate are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar, cast

import accelerate.utils  # pyright: ignore[reportMissingTypeStubs]  # it ships none
import torch.distributed as dist
from accelerate import DistributedType  # pyright: ignore[reportMissingTypeStubs]
from torch.distributed.fsdp import FSDPModule

from gem_gymnasium import errors

T = TypeVar("T")


def gather(items: list[T]) -> list[T]:
    """Return the items of every process, in the order of their ranks. A collective call."""
    return cast("list[T]", accelerate.utils.gather_object(cast("Any", items)))


def check_processes(accelerator: Any) -> None:
    """Refuse processes that were started together and would each train alone, in one folder.

    Raises:
        ConfigError: There are several processes, and accelerate took each for the only one, as it
            does without GPUs unless it is told of CPUs.
    """
    world = dist.get_world_size() if dist.is_initialized() else 1
    if world > 1 and accelerator.num_processes == 1:
        raise errors.ConfigError(
            f"{world} processes were started, and each would train alone: without GPUs, set "
            "use_cpu=True (or ACCELERATE_USE_CPU=true)"
        )


def check_sharding(accelerator: Any, *, use_vllm: bool = False, opponents: bool = False) -> None:
    """Refuse ways of sharding under which a rollout would hang.

    Processes play episodes of different lengths, so they run the model a different number of times;
    where each run gathers weights from the others, some would wait for ever.

    Raises:
        ConfigError: DeepSpeed ZeRO-3 or FSDP version 1 is configured; or FSDP with vLLM, whose
            weights TRL gathers from shards that a rollout has gathered already; or FSDP with
            frozen opponents, whose copies would be of shards.
    """
    kind = accelerator.distributed_type
    if kind == DistributedType.DEEPSPEED and accelerator.state.deepspeed_plugin.zero_stage == 3:
        raise errors.ConfigError("zero_stage must be at most 2, got 3: use FSDP2 to shard weights")
    if kind == DistributedType.FSDP and accelerator.state.fsdp_plugin.fsdp_version != 2:
        raise errors.ConfigError("fsdp_version must be 2, got 1")
    if kind == DistributedType.FSDP and use_vllm:
        raise errors.ConfigError("use_vllm does not work with FSDP yet: use DDP or ZeRO-2")
    if kind == DistributedType.FSDP and opponents:
        raise errors.ConfigError("opponent_share does not work with FSDP: use DDP or ZeRO-2")


def accumulating(accelerator: Any, model: Any, *, last: bool) -> AbstractContextManager[Any]:
    """Return the context of one backward pass; gradients are exchanged in the last one only."""
    if accelerator.distributed_type == DistributedType.DEEPSPEED:
        # Its backward pass also steps the optimizer wherever this flag is up.
        accelerator.gradient_state._set_sync_gradients(last)
        return nullcontext()
    if last:
        return nullcontext()
    return cast("AbstractContextManager[Any]", accelerator.no_sync(model))


@contextmanager
def whole_weights(accelerator: Any, model: Any) -> Generator[None]:
    """Keep FSDP2's shards gathered, so that a process can run the model as often as it likes.

    Collective at both ends; does nothing to a model that FSDP2 does not shard.

    Args:
        accelerator: Says whether modules give gathered weights up after each run.
        model: The model.
    """
    plugin = getattr(accelerator.state, "fsdp_plugin", None)
    gives_up = plugin is None or bool(plugin.reshard_after_forward)
    sharded = [module for module in model.modules() if isinstance(module, FSDPModule)]
    for module in sharded:
        module.set_reshard_after_forward(False, recurse=False)
        module.unshard()
    try:
        yield
    finally:
        for module in sharded:
            module.reshard()
            # The root's weights are needed first in the backward pass: they stay.
            root = module is sharded[0]
            module.set_reshard_after_forward(gives_up and not root, recurse=False)
