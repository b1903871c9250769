"""Run by test_killed: trains, resuming where it can, and kills itself where it is told to."""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import gymnasium as gym
import torch
from transformers import TrainerState

from gem_gymnasium.wrappers import History
from gem_trl import ReinforceConfig, ReinforceTrainer

ENV = "gem/GuessTheNumber-easy-v0"


def die() -> None:
    """End at once, as the kernel does when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


class Killed(ReinforceTrainer):
    """Dies in optimizer step ``at`` (counted from 0), or while checkpoint ``at`` is written.

    ``where`` is ``rollout``, ``step``, ``optimizer`` (its file is not written yet) or ``state``
    (the last file is written by half); anything else kills nowhere.
    """

    where, at = "", -1
    calls = 0

    @property
    def now(self) -> bool:
        return self.state.global_step == self.at

    def compute_loss(self, *args: Any, **kwargs: Any) -> Any:
        if self.where == "step" and self.now:
            self.calls += 1
            if self.calls == 2:  # between two micro-batches
                die()
        return super().compute_loss(*args, **kwargs)

    def _save_optimizer_and_scheduler(self, output_dir: str) -> None:
        if self.where == "optimizer" and self.now:
            die()
        super()._save_optimizer_and_scheduler(output_dir)


class HalfWritten(TrainerState):
    """Is cut off in the middle of being written, at a given step."""

    at = -1

    def save_to_json(self, json_path: str) -> None:
        super().save_to_json(json_path)
        if self.global_step == HalfWritten.at:
            text = Path(json_path).read_text(encoding="utf-8")
            Path(json_path).write_text(text[: len(text) // 2], encoding="utf-8")
            die()


class Mine(gym.Wrapper[Any, Any, Any, Any]):
    """Dies in the seventh step of the rollout that begins at ``Killed.at``."""

    trainer: Any = None
    steps = 0

    def step(self, action: Any) -> Any:
        trainer = Mine.trainer
        if trainer.where == "rollout" and trainer.now:
            Mine.steps += 1
            if Mine.steps == 7:
                die()
        return super().step(action)


def main(model: str, output: str, where: str = "", at: str = "-1") -> dict[str, torch.Tensor]:
    """Train from the newest whole checkpoint in ``output``, and return the final parameters."""
    torch.set_num_threads(1)
    args = ReinforceConfig(
        output, use_cpu=True, history="messages", num_envs=3, episodes_per_rollout=6,
        num_rollouts=4, num_iterations=2, beta=0.1, max_completion_length=12, learning_rate=1e-3,
        per_device_train_batch_size=3, save_strategy="steps", save_steps=1, save_total_limit=2,
        report_to="none", disable_tqdm=True,
    )  # fmt: skip
    trainer = Killed(model, args, env=lambda: Mine(History(gym.make(ENV), "messages")))
    trainer.where, trainer.at = where, int(at)
    Mine.trainer = trainer
    if where == "state":
        HalfWritten.at = int(at)
        import transformers.trainer as module

        module.TrainerState = HalfWritten  # type: ignore[misc]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    trainer.train(resume_from_checkpoint=any(Path(output).glob("checkpoint-*")))
    trainer.close()
    final = {name: value.detach().clone() for name, value in trainer.model.named_parameters()}
    torch.save(final, f"{output}/final.pt")
    Path(output, "log.json").write_text(json.dumps(trainer.state.log_history), encoding="utf-8")
    return final


if __name__ == "__main__":
    main(*sys.argv[1:])
