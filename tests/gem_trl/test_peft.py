"""LoRA: only the adapter trains; it is saved and resumed; switched off it is the reference."""

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, PeftModel

from gem_trl.batch import log_probs_of
from tests.gem_trl.faulty import ESTIMATORS
from tests.gem_trl.test_trainer import parameters


def lora(**options: Any) -> LoraConfig:
    return LoraConfig(
        r=4, target_modules=["q_proj", "v_proj", "down_proj"], task_type="CAUSAL_LM", **options
    )


def options_of(estimator: str, **more: Any) -> dict[str, Any]:
    return {
        "peft_config": lora(), "advantage_estimator": estimator, "num_iterations": 2, "beta": 0.1,
        "learning_rate": 1e-2, **ESTIMATORS[estimator], **more,
    }  # fmt: skip


def score(trainer: Any, model: Any, rows: Any) -> Any:
    batch = trainer._scorer.collate(model, rows)
    with torch.no_grad():
        return log_probs_of(model.eval(), batch, 1.0, fused=False)[0] * batch.mask


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_only_the_adapter_trains_and_it_loads_back(
    build_trainer: Any, model: Any, tmp_path: Path, estimator: str
) -> None:
    base = copy.deepcopy(model)
    trainer = build_trainer(**options_of(estimator))
    before = parameters(trainer.model)
    rows = trainer._experience.next_mini_batch()
    trainer._experience._pending.clear()
    trainer.train()
    adapter = {name for name in before if "lora" in name}
    changed = {n for n, p in parameters(trainer.model).items() if not torch.equal(before[n], p)}
    assert changed == adapter

    trainer.save_model(str(tmp_path / "saved"))
    files = {path.name for path in (tmp_path / "saved").iterdir()}
    assert {"adapter_config.json", "adapter_model.safetensors"} <= files
    assert "model.safetensors" not in files
    expected = score(trainer, trainer.model, rows)
    plain = score(trainer, base, rows)
    loaded = PeftModel.from_pretrained(base, str(tmp_path / "saved"))
    assert torch.equal(score(trainer, loaded, rows), expected)
    assert (plain - expected).abs().max() > 1e-3  # the adapter does something

    # The reference is the model with its adapter switched off, and it is switched on again.
    trainer._scorer.store_reference(trainer.model, rows)
    stored = trainer._scorer.collate(trainer.model, rows).reference_log_probs
    assert torch.equal(stored, plain)
    assert torch.equal(score(trainer, trainer.model, rows), expected)
    logs = [log["kl"] for log in trainer.state.log_history if "kl" in log]
    assert logs[0] == pytest.approx(0.0, abs=1e-6)
    assert logs[-1] > 1e-6


@pytest.mark.parametrize("estimator", ["rebn", "grpo"])
@pytest.mark.parametrize("checkpoint", [1, 2])
def test_a_resumed_run_ends_with_the_same_adapter(
    build_trainer: Any, model: Any, tmp_path: Path, estimator: str, checkpoint: int
) -> None:
    common = options_of(estimator, save_strategy="steps", save_steps=1, lr_scheduler_type="linear")
    twin = copy.deepcopy(model)
    straight = build_trainer(output_dir=str(tmp_path / "straight"), **common)
    straight.train()
    folder = tmp_path / "straight" / f"checkpoint-{checkpoint}"
    assert not (folder / "model.safetensors").exists()
    torch.manual_seed(999)
    resumed = build_trainer(model=twin, output_dir=str(tmp_path / "resumed"), **common)
    resumed.train(resume_from_checkpoint=str(folder))
    assert straight.state.global_step == resumed.state.global_step == 4
    for name, value in parameters(straight.model).items():
        assert torch.equal(value, parameters(resumed.model)[name]), name
