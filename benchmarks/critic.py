"""How much of the return a critic explains, read at the last or the first prompt token.

    python benchmarks/critic.py [--seeds 3] [--rollouts 10] [--jobs 1]

A tiny model warmed up on gem/Sudoku-easy-v0 plays, and stays as it is, so that both critics are
trained on the same turns. What a critic explains of a rollout's discounted
returns is measured before it learns from that rollout, so on episodes that it has never seen. A
causal model has read nothing but the first token at the first token: that critic can learn the mean
return and no more. The public baseline of the paper's PPO reads it there.

Writes benchmarks/results/critic.md. A few minutes a seed on one core.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import gymnasium as gym
import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from gem_trl import ReinforceConfig, ReinforceTrainer, tiny
from gem_trl.batch import Batch
from gem_trl.credit import by_gae
from gem_trl.critic import Critic, CriticLearner, build_critic
from gem_trl.rows import micro_batches, mini_batches

OUT = Path(__file__).resolve().parent / "results" / "critic.md"
ID = "gem/Sudoku-easy-v0"
GAMMA, EPISODES, MINI_BATCHES, LAST_ROLLOUTS = 0.9, 96, 8, 3
SKILL = 0.35


class FirstToken(Critic):
    """The critic as the public baseline reads it."""

    def places(self, batch: Batch) -> Tensor:
        """Return the column (B,) of each row's first prompt token."""
        return batch.attention_mask.argmax(dim=1)[batch.sequences]


CRITICS = {"last": Critic, "first": FirstToken}


def warm_model(seed: int, games: int, steps: int) -> tuple[Any, Any]:
    """Return tokenizer and model, warmed up on a sloppy player's games (one board a prompt)."""
    chats = list(tiny.play_conversations(lambda: gym.make(ID), games, SKILL, seed, "best"))
    tokenizer = tiny.train_tokenizer([m["content"] for chat in chats[:1_000] for m in chat])
    model = tiny.build_model(tokenizer, seed=seed)
    with tqdm(total=steps, unit="step", desc=f"seed {seed}, warm start") as bar:
        tiny.warm_start(
            model,
            tiny.encode_conversations(tokenizer, chats),
            steps=steps,
            learning_rate=3e-3,
            seed=seed,
            on_step=lambda step, loss: bar.update() and None,
        )
    return tokenizer, model


def explained(tokenizer: Any, model: Any, seed: int, rollouts: int) -> list[dict[str, Any]]:
    """Train both critics on the same games of a frozen policy; return each rollout's metrics."""
    with tempfile.TemporaryDirectory() as folder:
        args = ReinforceConfig(
            folder,
            seed=seed,
            use_cpu=True,
            advantage_estimator="ppo",
            gamma=GAMMA,
            critic_learning_rate=1e-3,
            value_clip=None,  # a critic from scratch has far to go
            history="none",
            num_envs=EPISODES,
            episodes_per_rollout=EPISODES,
            max_completion_length=16,
            per_device_train_batch_size=64,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
        )
        trainer = ReinforceTrainer(model, args, env=ID, processing_class=tokenizer)
        model.eval()
        learners = {
            place: CriticLearner(
                kind(build_critic(model, args).body),
                trainer.accelerator,
                args,
                tokenizer.pad_token_id,
            )
            for place, kind in CRITICS.items()
        }
        rng = np.random.default_rng(seed)
        log: list[dict[str, Any]] = []
        for _ in range(rollouts):
            episodes = trainer._experience.collect_episodes()
            metrics: dict[str, Any] = {}
            for place, learner in learners.items():
                credit = by_gae(episodes, learner.values_of(episodes), GAMMA, args.gae_lambda)
                metrics |= {place: credit.metrics["explained_variance"]}
                metrics |= {name: credit.metrics[f"returns/{name}"] for name in ("mean", "std")}
                rows = [row for row in credit.rows if row.trains]
                for part in mini_batches(rows, MINI_BATCHES, rng):
                    size = args.per_device_train_batch_size
                    learner.learn(micro_batches(part, size), float(len(part)))
            log.append(metrics)
        trainer.close()
        return log


class Task(NamedTuple):
    """What one process does: both critics of one seed."""

    seed: int
    rollouts: int
    games: int
    steps: int


class Result(NamedTuple):
    """Explained variance of each rollout by place, the returns' mean and deviation, the size."""

    explained: dict[str, list[float]]
    returns: tuple[float, float]
    parameters: int


def run(task: Task) -> Result:
    """Warm a model up and train both critics on its games."""
    torch.set_num_threads(1)
    tokenizer, model = warm_model(task.seed, task.games, task.steps)
    log = explained(tokenizer, model, task.seed, task.rollouts)
    return Result(
        {place: [entry[place] for entry in log] for place in CRITICS},
        (mean(entry["mean"] for entry in log), mean(entry["std"] for entry in log)),
        sum(parameter.numel() for parameter in model.parameters()),
    )


def main() -> None:
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3, help="how many (default: %(default)s)")
    parser.add_argument("--rollouts", type=int, default=10, help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=1, help="seeds at a time, a core each")
    parser.add_argument("--warm-up-games", type=int, default=1_000)
    parser.add_argument("--warm-up-steps", type=int, default=150)
    options = parser.parse_args()
    shares: dict[str, list[float]] = {place: [] for place in CRITICS}
    lines: list[str] = []
    parameters = 0
    tasks = [
        Task(seed, options.rollouts, options.warm_up_games, options.warm_up_steps)
        for seed in range(options.seeds)
    ]
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        for task, result in zip(tasks, pool.map(run, tasks), strict=True):
            parameters = result.parameters
            cells: list[str] = []
            for place, values in result.explained.items():
                newest = values[-LAST_ROLLOUTS:]
                shares[place].append(mean(newest))
                cells.append(f"{mean(newest):.3f} [{min(newest):.3f}, {max(newest):.3f}]")
            average, deviation = result.returns
            lines.append(
                f"| {task.seed} | {cells[0]} | {cells[1]} | {average:.2f} ± {deviation:.2f} |"
            )
            print(lines[-1], flush=True)
    text = "\n".join(
        [
            "# What a critic explains: the value read at the last or the first prompt token",
            "",
            f"`python benchmarks/critic.py --seeds {options.seeds} --rollouts {options.rollouts}`, "
            f"{datetime.date.today()}, {platform.machine()}, torch {torch.__version__}.",
            "",
            f"{ID}, gamma {GAMMA}, a frozen policy of {parameters / 1e6:.1f}M parameters (warm-up: "
            f"{options.warm_up_steps} steps on {options.warm_up_games} games), {EPISODES} episodes "
            "a rollout; both critics see the same turns. Explained variance "
            f"`1 - Var(G - V) / Var(G)` of the last {LAST_ROLLOUTS} rollouts, each before the "
            "critic learned from it: mean [lowest, highest].",
            "",
            "| seed | last token | first token | returns, mean ± std |",
            "|---|---|---|---|",
            *lines,
            f"| mean | {mean(shares['last']):.3f} | {mean(shares['first']):.3f} | |",
            "",
            "The baseline that GEM's PPO comes from reads the first token: there a causal model "
            "has seen the same token in every state, so its critic is a constant.",
        ]
    )
    OUT.write_text(text + "\n", encoding="utf-8")
    print(f"\nWritten to {OUT}.")


if __name__ == "__main__":
    main()
