"""vLLM beside the trainer on one GPU: log-probabilities, weight sync, sleep, training.

Without one (``GEM_GPU_TESTS_ON=cpu``) what a CPU engine cannot do is skipped; give the others
``VLLM_CPU_KVCACHE_SPACE=1``.
"""

import gc
import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from gem_trl.generation import Sampling
from gem_trl.rows import Row
from tests.gpu.conftest import LORA, ON_GPU, first_prompts, parameters

pytestmark = pytest.mark.skipif(importlib.util.find_spec("vllm") is None, reason="needs vllm")
needs_gpu = pytest.mark.skipif(not ON_GPU, reason="needs a GPU")

SAMPLING = Sampling(max_new_tokens=12)
EXACT = {"bfloat16": 0.3, "float32": 0.02}
"""How far the log-probabilities of equal weights may be apart; in float32 Triton rounds to TF32."""


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what sets options of the engine that the configuration does not have."""
    import trl.generation.vllm_generation as trl_module

    original = trl_module.LLM

    def options(**more: Any) -> None:
        monkeypatch.setattr(trl_module, "LLM", lambda **given: original(**{**given, **more}))

    # Nothing is compiled or captured: a model this small starts in seconds.
    options(enforce_eager=True)
    return options


@pytest.fixture
def build(build_trainer: Any) -> Iterator[Callable[..., Any]]:
    """Return a builder of trainers that shuts each engine down, and frees its memory."""
    trainers: list[Any] = []

    def build_one(**options: Any) -> Any:
        options = {"use_vllm": True, "vllm_gpu_memory_utilization": 0.05, **options}
        trainers.append(build_trainer(**options))
        return trainers[-1]

    yield build_one
    for trainer in trainers:
        trainer.close()
    trainers.clear()
    gc.collect()
    torch.cuda.empty_cache()


def gaps(trainer: Any, prompts: list[tuple[int, ...]], seed: int) -> torch.Tensor:
    """Return how far vLLM's log-probabilities of its replies are from the trainer's, by token."""
    replies = trainer._generator.generate(prompts, SAMPLING, seed=seed)
    rows = [
        Row(prompt_ids=prompt, reply_ids=reply.ids, advantage=0.0)
        for prompt, reply in zip(prompts, replies, strict=True)
    ]
    trainer._scorer.store_old(trainer.model, rows)
    pairs = [
        (ours, its)
        for row, reply in zip(rows, replies, strict=True)
        for ours, its in zip(row.old_log_probs or (), reply.log_probs, strict=True)
    ]
    ours, its = torch.tensor(pairs, dtype=torch.float64).T
    return (ours - its).abs()


@torch.no_grad()
def disturb(parameters: Any, size: float) -> None:
    """Move parameters by noise, always the same."""
    generator = torch.Generator().manual_seed(0)
    for parameter in parameters:
        noise = torch.randn(parameter.shape, generator=generator)
        parameter.add_(size * noise.to(parameter.device, parameter.dtype))


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_the_engine_follows_the_policy_when_told_to(
    build: Any, engine: Any, measure: Callable[[str, Any], None], dtype: str
) -> None:
    engine(enforce_eager=True, dtype=dtype)
    trainer = build(bf16=dtype == "bfloat16", num_envs=32)
    prompts = first_prompts(trainer, 32)
    found = {"before": gaps(trainer, prompts, 0)}
    disturb(trainer.model.parameters(), 0.05)
    found["stale"] = gaps(trainer, prompts, 1)
    trainer._generator.sync_weights()
    found["after"] = gaps(trainer, prompts, 2)
    for name, gap in found.items():
        measure(f"{name}: mean", float(gap.mean()))
        measure(f"{name}: max", float(gap.max()))
    assert found["before"].max() <= EXACT[dtype]
    assert found["stale"].mean() > 3 * found["before"].mean()
    assert found["after"].max() <= EXACT[dtype]
    draw = trainer._generator.generate
    alike = prompts[:1] * 32  # a group that starts alike
    first, again, other = (draw(alike, SAMPLING, seed) for seed in (5, 5, 6))
    assert [reply.ids for reply in first] != [reply.ids for reply in other]
    assert len({reply.ids for reply in first}) > 1
    same = sum(a.ids == b.ids for a, b in zip(first, again, strict=True))
    measure("equal replies of 32 with equal seeds", same)
    assert same == 32


def test_an_adapter_is_merged_for_the_engine(
    build: Any, engine: Any, measure: Callable[[str, Any], None]
) -> None:
    from peft import LoraConfig

    trainer = build(peft_config=LoraConfig(**LORA), num_envs=16)
    prompts = first_prompts(trainer, 16)
    adapter = [p for name, p in trainer.model.named_parameters() if "lora_" in name]
    disturb(adapter, 0.3)
    stale = gaps(trainer, prompts, 0)
    trainer._generator.sync_weights()
    after = gaps(trainer, prompts, 1)
    measure("stale: mean", float(stale.mean()))
    measure("after: mean", float(after.mean()))
    measure("after: max", float(after.max()))
    assert after.mean() < stale.mean() / 3
    assert after.max() <= EXACT["bfloat16"]


def free_memory() -> float:
    """Return the GPU's free memory in MiB, by the driver's account."""
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    return torch.cuda.mem_get_info()[0] / 2**20


@needs_gpu
@pytest.mark.parametrize("estimator", ["rebn", "ppo"])
def test_training_with_an_engine_that_sleeps(
    build: Any, engine: Any, measure: Callable[[str, Any], None], estimator: str
) -> None:
    before_all = free_memory()
    trainer = build(vllm_enable_sleep_mode=True, advantage_estimator=estimator)
    asleep = free_memory()
    trainer._generator.sync_weights()
    awake = free_memory()
    trainer._generator.finish()
    again = free_memory()
    measure("MiB that the engine takes asleep", before_all - asleep)
    measure("MiB that the engine takes awake", before_all - awake)
    assert asleep - awake > 1_000
    assert again - awake > 1_000
    before = parameters(trainer.model)
    torch.cuda.reset_peak_memory_stats()
    trainer.train()
    measure("peak memory in MiB", torch.cuda.max_memory_allocated() / 2**20)
    assert trainer.state.global_step == 3
    for name, value in parameters(trainer.model).items():
        assert torch.isfinite(value).all(), name
        assert not torch.equal(before[name], value), name
    logs = [log for log in trainer.state.log_history if "sampling/kl" in log]
    assert len(logs) == 3
    for name in ("sampling/kl", "sampling/sampling_logp_difference/max"):
        measure(name, [log[name] for log in logs])
    assert all(log["sampling/sampling_logp_difference/max"] <= EXACT["bfloat16"] for log in logs)
    assert all(log["sampling/nan_rows"] == 0 for log in logs)
    measure("tokens/s", [log.get("tokens_per_s/generate") for log in logs])


@needs_gpu
def test_three_steps_with_the_engine_as_users_start_it(
    build: Any, measure: Callable[[str, Any], None]
) -> None:
    """Compiled, with CUDA graphs."""
    trainer = build(num_envs=16)
    trainer.train()
    logs = [log for log in trainer.state.log_history if "sampling/kl" in log]
    assert len(logs) == 3
    measure("difference", [log["sampling/sampling_logp_difference/max"] for log in logs])
    assert all(log["sampling/sampling_logp_difference/max"] <= EXACT["bfloat16"] for log in logs)
