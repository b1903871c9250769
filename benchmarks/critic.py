"""How much of the return a critic explains, read at the last or the first prompt token.

    python benchmarks/critic.py [--seeds 3] [--rollouts 25] [--jobs 1]

Both critics of ReinforceTrainer's PPO learn from the same games of gem/Sudoku-easy-v0, played by a
scripted player (35 % the solver's moves, else random legal ones), so that the games depend on
neither. What a critic explains of a rollout's discounted returns is measured before it learns from
that rollout, so on games that it has never seen. At the first token a causal model has read nothing
else: that critic can learn the mean return and no more. The public baseline of the
paper's PPO reads it there.

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
from accelerate import Accelerator
from torch import Tensor

from gem_trl import ReinforceConfig, tiny
from gem_trl.batch import Batch
from gem_trl.credit import by_gae
from gem_trl.critic import Critic, CriticLearner, build_critic
from gem_trl.episode import Episode, Turn
from gem_trl.prompts import PromptEncoder
from gem_trl.rollout import TRAINING, derived_seed
from gem_trl.rows import micro_batches, mini_batches

OUT = Path(__file__).resolve().parent / "results" / "critic.md"
ID = "gem/Sudoku-easy-v0"
GAMMA, SKILL, EPISODES, MINI_BATCHES, LAST_ROLLOUTS = 0.9, 0.35, 64, 8, 3


class FirstToken(Critic):
    """The critic as the public baseline reads it."""

    def places(self, batch: Batch) -> Tensor:
        """Return the column (B,) of each row's first prompt token."""
        return batch.attention_mask.argmax(dim=1)[batch.sequences]


CRITICS = {"last": Critic, "first": FirstToken}


class Task(NamedTuple):
    """What one process does: both critics of one seed."""

    seed: int
    rollouts: int


class Result(NamedTuple):
    """Explained variance of each rollout by place, the returns' mean and deviation, the size."""

    explained: dict[str, list[float]]
    returns: tuple[float, float]
    parameters: int


def play(env: Any, player: Any, encoder: PromptEncoder, seed: int) -> Episode:
    """Return an episode as a rollout would record it; each prompt is the newest observation."""
    observation, info = env.reset(seed=seed)
    player.reset(observation, info)
    turns: list[Turn] = []
    terminated = truncated = False
    while not (terminated or truncated):
        prompt, reply = encoder.encode(observation, info), player.act(observation, info)
        observation, reward, terminated, truncated, info = env.step(reply)
        ids = encoder.encode(reply, {})
        turns.append(Turn(prompt_ids=prompt, reply_ids=ids[:16], reward=float(reward)))
    return Episode(
        env_id=ID, seed=seed, turns=tuple(turns), terminated=terminated, truncated=truncated
    )


def run(task: Task) -> Result:
    """Train both critics on the games of one seed."""
    torch.set_num_threads(1)
    env: Any = gym.make(ID)
    rng = np.random.default_rng(task.seed)
    player = tiny.SloppyPlayer(env, SKILL, rng, "best")
    chats = list(tiny.play_conversations(lambda: gym.make(ID), 300, SKILL, task.seed, "best"))
    tokenizer: Any = tiny.train_tokenizer([m["content"] for chat in chats for m in chat])
    model = tiny.build_model(tokenizer, seed=task.seed)
    encoder = PromptEncoder(tokenizer)
    with tempfile.TemporaryDirectory() as folder:
        args = ReinforceConfig(
            folder,
            use_cpu=True,
            critic_learning_rate=1e-3,
            value_clip=None,  # a critic from scratch has far to go
            per_device_train_batch_size=64,
            report_to="none",
        )
        accelerator = Accelerator(cpu=True)
        learners = {
            place: CriticLearner(
                kind(build_critic(model, args).body), accelerator, args, tokenizer.pad_token_id
            )
            for place, kind in CRITICS.items()
        }
    explained: dict[str, list[float]] = {place: [] for place in CRITICS}
    returns: list[tuple[float, float]] = []
    for rollout in range(task.rollouts):
        episodes = [
            play(env, player, encoder, derived_seed(task.seed, TRAINING, rollout, number))
            for number in range(EPISODES)
        ]
        for place, learner in learners.items():
            credit = by_gae(episodes, learner.values_of(episodes), GAMMA, args.gae_lambda)
            explained[place].append(credit.metrics["explained_variance"])
            for part in mini_batches(credit.rows, MINI_BATCHES, rng):
                size = args.per_device_train_batch_size
                learner.learn(micro_batches(part, size), float(len(part)))
        returns.append((credit.metrics["returns/mean"], credit.metrics["returns/std"]))
        shown = ", ".join(f"{place} {values[-1]:.3f}" for place, values in explained.items())
        print(f"seed {task.seed}, rollout {rollout + 1}/{task.rollouts}: {shown}", flush=True)
    size = sum(parameter.numel() for parameter in model.parameters())
    return Result(explained, (mean(m for m, _ in returns), mean(s for _, s in returns)), size)


def main() -> None:
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3, help="how many (default: %(default)s)")
    parser.add_argument("--rollouts", type=int, default=25, help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=1, help="seeds at a time, a core each")
    options = parser.parse_args()
    shares: dict[str, list[float]] = {place: [] for place in CRITICS}
    lines: list[str] = []
    parameters = 0
    tasks = [Task(seed, options.rollouts) for seed in range(options.seeds)]
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
    text = "\n".join(
        [
            "# What a critic explains: the value read at the last or the first prompt token",
            "",
            f"`python benchmarks/critic.py --seeds {options.seeds} --rollouts {options.rollouts}`, "
            f"{datetime.date.today()}, {platform.machine()}, torch {torch.__version__}.",
            "",
            f"{ID}, gamma {GAMMA}, critics of {parameters / 1e6:.1f}M parameters from random "
            f"weights, {EPISODES} games a rollout of a scripted player ({SKILL:.0%} the solver's "
            f"moves), {MINI_BATCHES} optimizer steps a rollout; both critics see the same turns. "
            f"Explained variance `1 - Var(G - V) / Var(G)` of the last {LAST_ROLLOUTS} of "
            f"{options.rollouts} rollouts, each before the critic learned from it: mean [lowest, "
            "highest].",
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
