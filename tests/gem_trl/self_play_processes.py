"""Run by test_self_play_processes, by two processes: self-play with opponents, and resuming it."""

import os
import sys
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from gem_trl import ReinforceConfig, ReinforceTrainer
from gem_trl.distributed import gather

ROLLOUTS = 3
OPPONENTS = {"opponent_share": 0.5, "opponent_interval": 1, "opponent_pool_size": 2}


def trainer_in(folder: Path, name: str, **options: Any) -> ReinforceTrainer:
    """Return a trainer of the saved model, in float64 so that sums differ by rounding only."""
    model = AutoModelForCausalLM.from_pretrained(folder / "model", dtype=torch.float64)
    args = ReinforceConfig(
        str(folder / name), use_cpu=True, history="none", num_envs=4, episodes_per_rollout=6,
        num_rollouts=ROLLOUTS, max_completion_length=8, rebn_scope="role", max_grad_norm=0.0,
        per_device_train_batch_size=5, save_steps=1, eval_steps=1, eval_episodes=4,
        eval_temperature=1.0, report_to="none", disable_tqdm=True,
        **{"save_strategy": "no", **options},
    )  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=1.0)
    return ReinforceTrainer(
        model,
        args,
        env="gem/KuhnPoker-v0",
        processing_class=AutoTokenizer.from_pretrained(folder / "model"),
        optimizers=(optimizer, scheduler),
    )


def weights(trainer: Any) -> dict[str, torch.Tensor]:
    """Return a copy of what a trainer has learned."""
    model = trainer.accelerator.unwrap_model(trainer.model)
    return {name: each.detach().clone() for name, each in model.named_parameters()}


def check_equal(one: dict[str, torch.Tensor], two: dict[str, torch.Tensor]) -> None:
    """Compare weights bit for bit."""
    assert one.keys() == two.keys()
    for name, value in one.items():
        assert torch.equal(value, two[name]), name


def main(folder: Path) -> None:
    """Train, resume, and save what was played and learned."""
    torch.set_num_threads(1)
    options: dict[str, Any] = {**OPPONENTS, "save_strategy": "steps", "eval_strategy": "steps"}
    trainer: Any = trainer_in(folder, "straight", **options)
    play, played = trainer._experience.collect_episodes, []
    trainer._experience.collect_episodes = lambda: played.append(play()) or played[-1]
    trainer.train()
    learned, pool = weights(trainer), trainer._opponents.state_dict()["pool"]
    for theirs, their_pool in gather([(learned, pool)]):
        check_equal(learned, theirs)
        assert len(pool) == len(their_pool) == 2
        for mine, other in zip(pool, their_pool, strict=True):
            check_equal(mine, other)
    resumed = trainer_in(folder, "resumed", **options)
    resumed.train(resume_from_checkpoint=str(folder / "straight" / "checkpoint-2"))
    check_equal(learned, weights(resumed))
    every = gather([played])
    if trainer.accelerator.is_main_process:
        torch.save((every, learned), folder / "result.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
