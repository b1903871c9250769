"""Run by test_distributed, by one process or by two: steps on given episodes; FSDP2 shards."""

import os
import sys
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import pytest
import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from transformers import AutoModelForCausalLM, TrainerCallback

from gem_gymnasium import errors
from gem_trl import ReinforceConfig, ReinforceTrainer
from gem_trl.distributed import gather, whole_weights
from gem_trl.nonfinite import NonFiniteError, NonFiniteGuard
from tests.gem_trl.faulty import ESTIMATORS

ENV = "gem/GuessTheNumber-easy-v0"
GROUP = 3


def step(folder: str, episodes: list[Any], estimator: str, aggregation: str) -> dict[str, Any]:
    """Step once on the episodes; return gradients, parameters and metrics of the main process."""
    model = AutoModelForCausalLM.from_pretrained(f"{folder}/model", dtype=torch.float64)
    options = {**ESTIMATORS[estimator]}
    if "group_size" in options:
        options["group_size"] = GROUP
    args = ReinforceConfig(
        f"{folder}/out", use_cpu=True, history="messages", num_envs=1, episodes_per_rollout=GROUP,
        max_steps=1,
        num_iterations=2,  # the first of two steps: with old log-probabilities, one mini-batch
        loss_aggregation=aggregation, advantage_estimator=estimator, max_completion_length=12,
        per_device_train_batch_size=3, max_grad_norm=0.0, save_strategy="no", report_to="none",
        disable_tqdm=True, **options,
    )  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=1.0)
    trainer = ReinforceTrainer(model, args, env=ENV, optimizers=(optimizer, scheduler))
    rank, world = trainer.accelerator.process_index, trainer.accelerator.num_processes
    # Uneven shares of whole groups, so that filler is needed: rank 0 gets two thirds.
    mine = [e for i, e in enumerate(episodes) if world == 1 or (i // GROUP % 3 == 2) == rank]
    trainer._experience.collect_episodes = lambda: list(mine)
    gradients: dict[str, Any] = {}

    class KeepGradients(TrainerCallback):
        def on_pre_optimizer_step(self, *args: Any, **kwargs: Any) -> None:
            for name, parameter in trainer.model.named_parameters():
                gradients[name] = parameter.grad.clone()

    trainer.add_callback(KeepGradients())
    trainer.train()
    log = trainer.state.log_history[0]
    names = ("episode/return", "returns/mean", "returns/std", "entropy", "num_tokens")
    metrics = {name: log[name] for name in names}
    metrics["dead_groups"] = log.get("rollout/dead_groups", -1.0)
    parameters = {n: p.detach().clone() for n, p in trainer.model.named_parameters()}
    if trainer._critic is not None:
        critic = trainer._critic.critic.named_parameters()
        parameters |= {f"critic.{n}": p.detach().clone() for n, p in critic}
    trainer.close()
    return {"gradients": gradients, "parameters": parameters, "metrics": metrics}


def check_shards(folder: str) -> None:
    """Run a model that FSDP2 shards a different number of times on each process."""
    accelerator = Accelerator(cpu=True)
    model = AutoModelForCausalLM.from_pretrained(f"{folder}/model", dtype=torch.float64).eval()
    ids = torch.tensor([[5, 6, 7, 8]])
    expected = model(ids).logits
    mesh = init_device_mesh("cpu", (2,))
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    for _ in range(2):
        with torch.no_grad(), whole_weights(accelerator, model):
            for _ in range(1 + 2 * accelerator.process_index):
                torch.testing.assert_close(model(ids).logits, expected)
        assert all(p.to_local().numel() < p.numel() for p in model.parameters() if p.size(0) > 1)
        torch.testing.assert_close(model(ids).logits, expected)  # and as before, all together
    guard = NonFiniteGuard(accelerator)
    guard.check_weights(model)
    model(ids).logits.sum().backward()
    assert not guard.skips(model, torch.zeros(()))
    # A NaN in one process's shard makes both skip.
    if accelerator.process_index == 1:
        next(p for p in model.parameters()).grad.to_local().fill_(torch.nan)
    assert guard.skips(model, torch.zeros(()))
    assert all(p.grad is None for p in model.parameters())
    if accelerator.process_index == 1:
        next(p for p in model.parameters()).data.to_local().fill_(torch.nan)
    with pytest.raises(NonFiniteError):
        guard.check_weights(model)
    assert gather([accelerator.process_index]) == [0, 1]


def check_that_none_trains_alone(folder: str) -> None:
    """Leave ``use_cpu`` out: accelerate takes each process for the only one."""
    args = ReinforceConfig(f"{folder}/out", bf16=False, report_to="none", disable_tqdm=True)
    with pytest.raises(errors.ConfigError, match="2 processes were started, and each would train"):
        ReinforceTrainer(f"{folder}/model", args, env=ENV)


def main(folder: str, cases: str, result: str) -> None:
    """Step on each ``estimator:aggregation`` of ``cases``, and save what came of it."""
    torch.set_num_threads(1)
    # The test wrote this file itself, with pickled Episode records.
    episodes = torch.load(f"{folder}/episodes.pt", weights_only=False)
    done = {case: step(folder, episodes, *case.split(":")) for case in cases.split(",")}
    if dist.is_initialized():
        check_shards(folder)
        if not torch.cuda.is_available():
            check_that_none_trains_alone(folder)
    if not dist.is_initialized() or dist.get_rank() == 0:
        torch.save(done, result)


if __name__ == "__main__":
    main(*sys.argv[1:])
