"""A run that was stopped at a checkpoint and resumed equals one that was not, bit for bit."""

from pathlib import Path
from typing import Any

import pytest
import torch

from gem_gymnasium import errors
from tests.gem_trl.test_trainer import _copy, parameters


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
