"""Run by test_distributed: one optimizer step on a given global batch, by one process or by two."""

import os
import sys
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from transformers import AutoModelForCausalLM, TrainerCallback

from gem_trl import ReinforceConfig, ReinforceTrainer

ENV = "gem/GuessTheNumber-easy-v0"


def main(folder: str, aggregation: str, result: str) -> None:
    """Step once on the episodes in ``folder`` and save gradients and parameters."""
    torch.set_num_threads(1)
    # The test wrote this file itself, with pickled Episode records.
    episodes = torch.load(f"{folder}/episodes.pt", weights_only=False)
    model = AutoModelForCausalLM.from_pretrained(f"{folder}/model", dtype=torch.float64)
    args = ReinforceConfig(
        f"{folder}/out",
        use_cpu=True,
        history="messages",
        num_envs=1,
        episodes_per_rollout=1,
        max_steps=1,
        num_iterations=2,  # the first of two steps: with old log-probabilities, one mini-batch
        loss_aggregation=aggregation,
        max_completion_length=12,
        per_device_train_batch_size=3,
        max_grad_norm=0.0,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=1.0)
    trainer = ReinforceTrainer(model, args, env=ENV, optimizers=(optimizer, scheduler))
    rank, world = trainer.accelerator.process_index, trainer.accelerator.num_processes
    # Uneven shares, so that filler is needed: rank 0 gets two thirds.
    mine = episodes if world == 1 else [e for i, e in enumerate(episodes) if (i % 3 == 2) == rank]
    trainer._experience.collect_episodes = lambda: list(mine)
    gradients: dict[str, Any] = {}

    class KeepGradients(TrainerCallback):
        def on_pre_optimizer_step(self, *args: Any, **kwargs: Any) -> None:
            for name, parameter in trainer.model.named_parameters():
                gradients[name] = parameter.grad.clone()

    trainer.add_callback(KeepGradients())
    trainer.train()
    log = trainer.state.log_history[0]
    if rank == 0:
        parameters = {n: p.detach().clone() for n, p in trainer.model.named_parameters()}
        metrics = {k: log[k] for k in ("episode/return", "returns/std", "entropy", "num_tokens")}
        torch.save({"gradients": gradients, "parameters": parameters, "metrics": metrics}, result)
    trainer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
