"""Replies from vLLM, through TRL's own ``VLLMGeneration``.

Colocated, each process (or group of ``vllm_tensor_parallel_size``) runs an engine of its own beside
the training model; in server mode the main process asks one server for all.
"""

# torch, transformers, trl and vllm are partly untyped, and vllm is an extra.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingImports=false

from __future__ import annotations

import importlib.util
import logging
import math
import os
import random
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple, cast

import numpy as np
import torch

from gem_gymnasium import errors
from gem_trl.config import ReinforceConfig
from gem_trl.distributed import gather
from gem_trl.generation import Reply, Sampling
from gem_trl.rollout import derived_seed

logger = logging.getLogger(__name__)

MAX_SEQUENCES = 4_096
"""TRL lets an engine batch so many tokens, and vLLM no more sequences than tokens."""


class _Ask(NamedTuple):
    """What one process wants of a call that several make together."""

    prompts: list[list[int]]
    sampling: Sampling
    seed: int


class VLLMGenerator:
    """Sample with vLLM from weights that are pushed to it once a rollout.

    Args:
        engine: TRL's ``VLLMGeneration``.
        eos_ids: The tokens that end a reply.
        together: Whether the processes must call the engine at the same time: those that share a
            tensor-parallel engine, or one server. Then a process whose rollout is over goes on
            calling until all are done, and the prompts are shared out evenly.
        sleeps: Whether the engine gives its memory back between rollouts.
    """

    def __init__(
        self, engine: Any, *, eos_ids: Sequence[int], together: bool, sleeps: bool = False
    ) -> None:
        self._engine: Any = engine
        self._eos_ids, self._together, self._sleeps = list(eos_ids), together, sleeps
        self._colocated = engine.mode == "colocate"
        # Without the groups that vLLM starts there were none to keep.
        self._owns_groups = not engine.accelerator.num_processes > 1
        if self._colocated:
            engine.llm.generate = _seed_each(engine.llm.generate)
        if sleeps:
            # TRL would sleep, and so push the weights anew, at each turn of a rollout.
            engine.enable_sleep_mode = False

    def sync_weights(self) -> None:
        """Push the policy's present weights (a LoRA adapter merged) to vLLM. A collective call."""
        if self._sleeps:
            torch.cuda.empty_cache()
            self._engine.llm.wake_up()
        self._engine.sync_weights()

    def generate(
        self, prompts: Sequence[Sequence[int]], sampling: Sampling, seed: int
    ) -> list[Reply]:
        """Draw one reply for each prompt.

        A colocated engine draws each with a seed of its own, from ``seed`` and its place. A server
        takes no seed for a single prompt, and equal ones would get equal replies: there, ``seed``
        has no effect.
        """
        ask = _Ask([list(prompt) for prompt in prompts], sampling, seed)
        if self._together:
            replies = self._call_together(ask)
            assert replies is not None  # this process asks
            return replies
        return self._draw(*ask) if prompts else []

    def finish(self) -> None:
        """Take part in the others' calls until all rollouts are over; then sleep, if that is on."""
        while self._together and self._call_together(None) is not None:
            pass
        if self._sleeps:
            self._engine.llm.sleep(level=2)

    def _call_together(self, ask: _Ask | None) -> list[Reply] | None:
        """Draw what all processes ask for and return this one's; None once none asks."""
        accelerator = self._engine.accelerator
        rank, world = accelerator.process_index, accelerator.num_processes
        asks = gather([ask])
        asked = [each for each in asks if each is not None]
        if not asked:
            return None
        prompts = [prompt for each in asked for prompt in each.prompts]
        if not prompts:
            return []
        share = math.ceil(len(prompts) / world)
        prompts += [prompts[0][:1]] * (share * world - len(prompts))
        mine = prompts[rank * share : (rank + 1) * share]
        # Processes that share an engine must seed it alike; others must not.
        engine_number = rank // self._engine.tensor_parallel_size
        seed = derived_seed(asked[0].seed, engine_number)
        replies = gather(self._draw(mine, asked[0].sampling, seed))
        begin = sum(len(each.prompts) for each in asks[:rank] if each is not None)
        return replies[begin : begin + (0 if ask is None else len(ask.prompts))]

    def _draw(self, prompts: list[list[int]], sampling: Sampling, seed: int) -> list[Reply]:
        engine = self._engine
        engine.temperature = sampling.temperature
        engine.top_p, engine.top_k = sampling.top_p, sampling.top_k
        engine.min_p = sampling.min_p
        engine.repetition_penalty = sampling.repetition_penalty
        engine.max_completion_length = sampling.max_new_tokens
        engine.generation_kwargs = {"stop_token_ids": self._eos_ids}
        if self._colocated:
            engine.generation_kwargs |= {"seed": seed, "detokenize": False}
        device = engine.accelerator.device if self._colocated else None
        with nullcontext() if device is None else _generators_kept(device):
            _, ids, log_probs, _ = engine.generate(prompts, None, 1)
        if log_probs is None:
            raise errors.BackendError("vLLM returned no log-probabilities")
        return [self._reply(tuple(row), scores) for row, scores in zip(ids, log_probs, strict=True)]

    def _reply(self, ids: tuple[int, ...], scores: Sequence[Sequence[float | None]]) -> Reply:
        # TRL puts None where vLLM said not-a-number.
        log_probs = tuple(math.nan if score is None else score for (score, *_) in scores)
        return Reply(ids, bool(ids) and ids[-1] in self._eos_ids, log_probs)

    def close(self) -> None:
        """Shut a colocated engine down, so that another can start in this process."""
        if not self._colocated or self._engine.llm is None:
            return
        from vllm.distributed.parallel_state import (
            cleanup_dist_env_and_memory,
            destroy_model_parallel,
        )

        self._engine.llm.llm_engine.engine_core.shutdown()
        self._engine.llm = None
        # Several processes train over a group that vLLM only shares.
        (cleanup_dist_env_and_memory if self._owns_groups else destroy_model_parallel)()


def _seed_each(generate: Any) -> Any:
    """Wrap ``LLM.generate`` so that each prompt is drawn with a seed of its own.

    One seed for all, which is what TRL passes on, would give equal prompts equal replies: a group
    of episodes that start alike would stay alike.
    """

    def seeded(prompts: Sequence[Any], *, sampling_params: Any, **options: Any) -> Any:
        each = [sampling_params.clone() for _ in prompts]
        for place, parameters in enumerate(each):
            parameters.seed = derived_seed(sampling_params.seed, place)
        return generate(prompts, sampling_params=each, **options)

    return seeded


def build(
    model: Any,
    tokenizer: Any,
    args: ReinforceConfig,
    accelerator: Any,
    eos_ids: Sequence[int],
    context_length: int,
) -> VLLMGenerator:
    """Start vLLM, or reach its server. A collective call.

    Args:
        model: The policy, on its device; may be a PEFT model.
        tokenizer: Its tokenizer.
        args: The configuration.
        accelerator: Of the trainer.
        eos_ids: The tokens that end a reply.
        context_length: Tokens of the longest prompt and reply together.

    Raises:
        MissingDependency: vLLM is not installed.
        ConfigError: Server or sleep mode on a CPU, processes that do not divide into engines, or a
            server that was started with other settings than the trainer needs.
    """
    server, on_cpu = args.vllm_mode == "server", accelerator.device.type == "cpu"
    if server and on_cpu:
        raise errors.ConfigError(
            "vllm_mode='server' sends the weights from GPU to GPU (NCCL), and this trainer runs on "
            "a CPU: set vllm_mode='colocate'"
        )
    if args.vllm_enable_sleep_mode and on_cpu:
        raise errors.ConfigError("vllm_enable_sleep_mode frees GPU memory, and there is no GPU")
    world, tensor_parallel = accelerator.num_processes, args.vllm_tensor_parallel_size
    if not server and world % tensor_parallel:
        raise errors.ConfigError(
            "vllm_tensor_parallel_size must divide the number of processes, got "
            f"{tensor_parallel} and {world}"
        )
    if importlib.util.find_spec("vllm") is None:
        raise errors.MissingDependency("vllm", "vllm", "use_vllm=True")
    if args.vllm_importance_sampling_correction and _narrowed(args):
        logger.warning(
            "top_p, top_k, min_p and repetition_penalty change what vLLM samples from, but not the "
            "trainer's log-probabilities: the importance ratios will be far from 1."
        )
    from trl.generation import VLLMGeneration

    if on_cpu:
        from gem_trl.vllm_cpu import updatable_engine as context
    else:
        context = nullcontext
    with (
        context(),
        _generators_kept(accelerator.device),
        _on_disk(model, tokenizer, args, accelerator),
    ):
        engine = VLLMGeneration(
            model=model,
            accelerator=accelerator,
            processing_class=tokenizer,
            mode=args.vllm_mode,
            server_base_url=args.vllm_server_base_url,
            server_host=args.vllm_server_host,
            server_port=args.vllm_server_port,
            server_timeout=args.vllm_server_timeout,
            group_port=args.vllm_group_port,
            tensor_parallel_size=tensor_parallel,
            gpu_memory_utilization=args.vllm_gpu_memory_utilization,
            max_model_length=context_length,
            max_num_seqs=min(args.num_envs * tensor_parallel, MAX_SEQUENCES),
            enable_sleep_mode=args.vllm_enable_sleep_mode,
            model_impl=args.vllm_model_impl,
            trust_remote_code=bool(
                cast("dict[str, Any]", args.model_init_kwargs or {}).get("trust_remote_code")
            ),
            logprobs=0,  # of the sampled token alone
        )
    if server and accelerator.is_main_process:
        _check_server(engine.vllm_client.get_server_info()["model_config"], args, context_length)
    return VLLMGenerator(
        engine,
        eos_ids=eos_ids,
        together=world > 1 and (server or tensor_parallel > 1),
        sleeps=args.vllm_enable_sleep_mode and not server,
    )


def _check_server(settings: dict[str, Any], args: ReinforceConfig, context_length: int) -> None:
    """Refuse a server whose replies or log-probabilities would not be what the trainer wants."""
    mode = settings["logprobs_mode"]
    if args.vllm_importance_sampling_correction and mode != "processed_logprobs":
        raise errors.ConfigError(
            "vllm_importance_sampling_correction needs a server that runs with `--logprobs-mode "
            f"processed_logprobs`, got {mode}"
        )
    if settings["max_model_len"] < context_length:
        raise errors.ConfigError(
            f"the vLLM server takes {settings['max_model_len']} tokens and the trainer would send "
            f"{context_length}: set vllm_max_model_length"
        )


def _narrowed(args: ReinforceConfig) -> bool:
    """Return whether replies are sampled from another distribution than softmax(logits / T)."""
    return bool(args.top_p < 1 or args.top_k or args.min_p or args.repetition_penalty != 1)


@contextmanager
def _on_disk(
    model: Any, tokenizer: Any, args: ReinforceConfig, accelerator: Any
) -> Generator[None]:
    """Give a model that has no name the path of a copy, for as long as vLLM loads it."""
    if getattr(model, "name_or_path", ""):
        yield
        return
    path = os.path.join(cast("str", args.output_dir), "vllm-start")
    if accelerator.is_main_process:
        base = model.get_base_model() if hasattr(model, "get_base_model") else model
        # An adapter renames the layers it sits in, and is no part of what vLLM loads.
        weights = {
            name.replace(".base_layer", ""): value
            for name, value in base.state_dict().items()
            if ".lora_" not in name
        }
        base.save_pretrained(path, state_dict=weights)
        tokenizer.save_pretrained(path)
    accelerator.wait_for_everyone()
    model.name_or_path = path
    try:
        yield
    finally:
        model.name_or_path = ""


@contextmanager
def _generators_kept(device: torch.device) -> Generator[None]:
    """Leave the global random generators as they were: vLLM seeds and uses them."""
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002
