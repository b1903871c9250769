"""Whole training runs on a GPU: each estimator, precisions, adapters, checkpoints."""

import copy
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from gem_trl.advantages import ESTIMATORS, GROUPED
from tests.gpu.conftest import DEVICE, LORA, ON_GPU, largest_difference, parameters

Measure = Callable[[str, Any], None]


def train(trainer: Any, measure: Measure, **options: Any) -> None:
    """Train, note time and memory, and check that every number logged is one."""
    if ON_GPU:
        torch.cuda.reset_peak_memory_stats()
    started = time.perf_counter()
    trainer.train(**options)
    measure("seconds", time.perf_counter() - started)
    if ON_GPU:
        measure("peak memory in MiB", torch.cuda.max_memory_allocated() / 2**20)
    logs = [log for log in trainer.state.log_history if "loss" in log]
    assert logs
    for log in logs:
        assert all(math.isfinite(v) for v in log.values() if isinstance(v, float)), log
    for name in ("tokens_per_s/train", "time/rollout", "step_time", "grad_norm"):
        measure(name, logs[-1][name])


@pytest.mark.parametrize("estimator", [*ESTIMATORS, *GROUPED, "ppo"])
def test_each_estimator_trains(build_trainer: Any, measure: Measure, estimator: str) -> None:
    trainer = build_trainer(
        advantage_estimator=estimator,
        gamma=1.0 if estimator in GROUPED else 0.9,
        num_iterations=2,
        beta=0.05,
        entropy_coef=0.01,
    )
    before = parameters(trainer.model)
    train(trainer, measure)
    assert trainer.state.global_step == 6
    after = parameters(trainer.model)
    for name, value in after.items():
        assert torch.isfinite(value).all(), name
        assert not torch.equal(before[name], value), name
    assert all(value.device.type == DEVICE.type for value in trainer.model.parameters())
    kl = [log["kl"] for log in trainer.state.log_history if "kl" in log]
    measure("kl", kl)
    assert kl[0] == pytest.approx(0.0, abs=1e-3)  # nothing has moved yet
    assert kl[-1] > 0.0


@pytest.mark.parametrize("precision", ["float32", "bfloat16 weights"])
def test_other_precisions_train(
    build_trainer: Any, model: Any, measure: Measure, precision: str
) -> None:
    if precision == "float32":
        trainer = build_trainer(bf16=False)
    else:
        trainer = build_trainer(model=model.to(torch.bfloat16), advantage_estimator="ppo")
    before = parameters(trainer.model)
    train(trainer, measure)
    assert trainer.state.global_step == 3
    for name, value in parameters(trainer.model).items():
        assert torch.isfinite(value).all(), name
        # bfloat16 cannot hold a small step of a norm's weight, which is near 1.
        assert "norm" in name or not torch.equal(before[name], value), name


def test_an_adapter_trains_and_the_model_below_it_does_not(
    build_trainer: Any, measure: Measure
) -> None:
    from peft import LoraConfig

    trainer = build_trainer(peft_config=LoraConfig(**LORA), beta=0.05, num_iterations=2)
    before = parameters(trainer.model)
    train(trainer, measure)
    for name, value in parameters(trainer.model).items():
        assert torch.isfinite(value).all(), name
        assert torch.equal(before[name], value) == ("lora_" not in name), name


@pytest.mark.parametrize("kind", ["rebn", "ppo", "lora"])
def test_a_run_resumes_from_a_checkpoint(
    build_trainer: Any, model: Any, measure: Measure, tmp_path: Path, kind: str
) -> None:
    """Bit equality is promised on CPUs; here the difference is reported, and must be small."""
    from peft import LoraConfig

    def build(folder: str) -> Any:
        return build_trainer(
            model=copy.deepcopy(model),
            output_dir=str(tmp_path / folder),
            advantage_estimator="ppo" if kind == "ppo" else "rebn",
            peft_config=LoraConfig(**LORA) if kind == "lora" else None,
            num_iterations=2,
            save_strategy="steps",
            save_steps=1,
        )

    straight = build("straight")
    straight.train()
    resumed = build("resumed")
    # In the middle of the second rollout: its rows and their log-probabilities are in the file.
    train(resumed, measure, resume_from_checkpoint=str(tmp_path / "straight" / "checkpoint-3"))
    assert resumed.state.global_step == straight.state.global_step == 6
    assert resumed._experience.rollouts == straight._experience.rollouts == 3
    difference = largest_difference(parameters(straight.model), parameters(resumed.model))
    measure("largest difference of a parameter", difference)
    assert difference <= 3 * 1e-3  # no step of Adam is much longer than the learning rate
    tokens = [t.state.log_history[-2]["num_tokens"] for t in (straight, resumed)]
    measure("tokens read by each", tokens)
