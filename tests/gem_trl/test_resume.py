"""A run that was stopped at a checkpoint and resumed equals one that was not, bit for bit."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers.trainer import logger

from gem_gymnasium import errors
from gem_trl.nonfinite import MAX_SKIPPED_STEPS, NonFiniteError
from tests.gem_trl.test_trainer import _copy, parameters

WEIGHTS = "model.safetensors"


@pytest.mark.parametrize(
    ("checkpoint", "options"),
    [
        (2, {}),
        (1, {"beta": 0.1}),
        # In the middle of a rollout: the rows that wait are part of the checkpoint.
        (3, {"num_iterations": 2, "num_mini_batches": 2}),
        (3, {"num_iterations": 2, "logging_steps": 4}),
        (1, {"num_iterations": 2, "lr_scheduler_type": "linear", "eval_strategy": "steps",
             "eval_steps": 1}),
    ],
)  # fmt: skip
def test_a_resumed_run_ends_with_the_same_parameters(
    build_trainer: Any, model: Any, tmp_path: Path, checkpoint: int, options: dict[str, Any]
) -> None:
    common = {"num_rollouts": 4, "save_strategy": "steps", "save_steps": 1, "beta": 0.0, **options}
    straight = build_trainer(model=_copy(model), output_dir=str(tmp_path / "straight"), **common)
    straight.train()

    folder = tmp_path / "straight" / f"checkpoint-{checkpoint}"
    torch.manual_seed(12345)  # the global generator must not matter
    resumed = build_trainer(model=_copy(model), output_dir=str(tmp_path / "resumed"), **common)
    resumed.train(resume_from_checkpoint=str(folder))

    assert resumed.state.global_step == straight.state.global_step
    for name, value in parameters(straight.model).items():
        assert torch.equal(value, parameters(resumed.model)[name]), name
    # Nothing is lost that was measured since the last log; transformers' own loss is.
    other = ("loss", "step_time", "time/", "tokens_per_s/", "train_")
    if options.get("logging_steps", 1) == 1:
        other = other[1:]
    logs = [
        [
            {name: entry[name] for name in entry if not name.startswith(other)}
            for entry in trainer.state.log_history
        ]
        for trainer in (straight, resumed)
    ]
    assert logs[0] == logs[1]


def test_a_checkpoint_of_another_trainer_is_refused(build_trainer: Any, tmp_path: Path) -> None:
    trainer = build_trainer(num_rollouts=1, save_strategy="steps", save_steps=1)
    trainer.train()
    folder = Path(trainer.args.output_dir) / "checkpoint-1"
    (folder / "rollout_state_0.pt").unlink()
    again = build_trainer(num_rollouts=2)
    with pytest.raises(errors.ConfigError, match=r"holds no rollout_state_0\.pt"):
        again.train(resume_from_checkpoint=str(folder))


def test_a_setting_that_the_checkpoint_depends_on_cannot_change(build_trainer: Any) -> None:
    trainer = build_trainer(num_rollouts=1, save_strategy="steps", save_steps=1)
    trainer.train()
    folder = Path(trainer.args.output_dir) / "checkpoint-1"
    again = build_trainer(num_rollouts=2, num_envs=3)
    with pytest.raises(errors.ConfigError, match=r"saved with num_envs=4, .* num_envs=3"):
        again.train(resume_from_checkpoint=str(folder))


@pytest.mark.parametrize("whose", ["model", "critic"])
def test_steps_skipped_before_a_checkpoint_count_after_it(
    build_trainer: Any, model: Any, tmp_path: Path, whose: str
) -> None:
    def break_gradients(module: Any, inputs: Any, output: Any) -> Any:
        return output * torch.nan if torch.is_grad_enabled() else output

    def build(name: str) -> Any:
        trainer = build_trainer(
            model=_copy(model), num_rollouts=MAX_SKIPPED_STEPS + 3, save_strategy="steps",
            save_steps=3, advantage_estimator="ppo", output_dir=str(tmp_path / name),
        )  # fmt: skip
        broken = trainer.model.lm_head if whose == "model" else trainer._critic.critic.head
        broken.register_forward_hook(break_gradients)
        return trainer

    for trainer, checkpoint in ((build("first"), None), (build("next"), 3)):
        folder = checkpoint and str(tmp_path / "first" / f"checkpoint-{checkpoint}")
        with pytest.raises(NonFiniteError, match=f"the {whose}'s loss or gradients"):
            trainer.train(resume_from_checkpoint=folder)
        assert trainer.state.global_step == MAX_SKIPPED_STEPS


def test_a_resumed_run_keeps_its_learning_rate_whatever_the_configuration_says(
    build_trainer: Any, model: Any, tmp_path: Path
) -> None:
    rates = []
    for rate, checkpoint in ((1e-3, None), (1e-4, str(tmp_path / "run" / "checkpoint-2"))):
        trainer = build_trainer(
            model=_copy(model), learning_rate=rate, num_rollouts=3, save_strategy="steps",
            save_steps=2, output_dir=str(tmp_path / "run"),
        )  # fmt: skip
        trainer.train(resume_from_checkpoint=checkpoint)
        logs = trainer.state.log_history
        rates.append([log["learning_rate"] for log in logs if "learning_rate" in log])
    assert rates == [[1e-3] * 3] * 2


@pytest.mark.parametrize(("lost", "warned"), [(None, False), ("model.norm.weight", True)])
def test_only_weights_that_are_lost_are_called_missing(
    build_trainer: Any, caplog: pytest.LogCaptureFixture, lost: str | None, warned: bool
) -> None:
    trainer = build_trainer(num_rollouts=1, save_strategy="steps", save_steps=1)
    trainer.train()
    file = Path(trainer.args.output_dir) / "checkpoint-1" / WEIGHTS
    weights = load_file(file)
    assert "lm_head.weight" not in weights  # it is the embedding
    save_file({name: each for name, each in weights.items() if name != lost}, file)
    logger.addHandler(caplog.handler)  # transformers' loggers tell those of other libraries nothing
    try:
        build_trainer(num_rollouts=2).train(resume_from_checkpoint=str(file.parent))
    finally:
        logger.removeHandler(caplog.handler)
    said = [record.getMessage() for record in caplog.records if "missing keys" in record.msg]
    assert bool(said) == warned
    assert not any("lm_head" in each for each in said)
