"""Self-play in Kuhn poker: exact exploitability of a tiny model before and after, seed by seed.

    python benchmarks/self_play.py [--seeds 3] [--rollouts 90] [--jobs 2]

For each seed a language model is built on the spot, warmed up on games of a sloppy player (35 % of
its moves the equilibrium's, the others random) and trained by ReinforceTrainer against itself: one
policy in both seats, in some games an earlier self in one of them, returns normalised for
each role, an entropy bonus, and a small pull to the warm start, which keeps the form of replies.
After each rollout every information set is asked for the chance of each legal reply, and the best
answers to that policy are computed exactly.

Writes benchmarks/results/self_play.md and .png. Ten minutes a seed on one core.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, cast

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import pettingzoo
import torch
from transformers import TrainerCallback

from gem_trl import ReinforceConfig, ReinforceTrainer, tiny

OUT = Path(__file__).resolve().parent / "results" / "self_play.md"
ID = "gem/KuhnPoker-v0"
GAMES, SKILL, WARM_UP_STEPS = 4_000, 0.35, 1_400
GAMES_A_ROLLOUT, MINI_BATCHES, LEARNING_RATE = 192, 2, 1.2e-4
ENTROPY_COEF, BETA, OPPONENT_SHARE = 0.12, 0.03, 0.3
REPLY_TOKENS = 6
"""Exactly those of a move in its plain form, so that nothing can be said behind it for free."""


class Task(NamedTuple):
    """One seed's run."""

    seed: int
    rollouts: int


class Result(NamedTuple):
    """Exploitability before each rollout and at the end, in chips a game."""

    last: list[float]
    average: list[float]
    legal_mass: float
    parameters: int
    seconds: tuple[float, float]
    """Of the warm start, and of the training."""


def game() -> Any:
    """Return the game; a reply without a legal move loses at once."""
    return pettingzoo.make("aec", ID, retries=0)


class Measure(TrainerCallback):
    """Measures the policy before the training and after each rollout."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.trainer: Any = None
        self.measured: list[dict[str, float]] = []

    def measure(self) -> None:
        """Measure now."""
        metrics: dict[str, float] = self.trainer._exploitability.measure()
        self.measured.append({name.rsplit("/", 1)[1]: value for name, value in metrics.items()})
        shown = ", ".join(f"{name} {value:.4f}" for name, value in self.measured[-1].items())
        print(f"seed {self.seed}, rollout {len(self.measured) - 1}: {shown}", flush=True)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Measure after the steps of a rollout."""
        if "loss" in logs:
            self.measure()


def run(task: Task) -> Result:
    """Warm up, train and measure one model."""
    torch.set_num_threads(1)
    started = time.perf_counter()
    chats = list(tiny.play_games(game, GAMES, SKILL, task.seed))
    texts = [message["content"] for chat in chats for message in chat]
    tokenizer = tiny.train_tokenizer(texts, vocab_size=700)
    model = tiny.build_model(tokenizer, hidden=64, seed=task.seed)
    sequences = tiny.encode_conversations(tokenizer, chats)
    tiny.warm_start(
        model, sequences, steps=WARM_UP_STEPS, batch_size=16, learning_rate=3e-3, seed=task.seed
    )
    warmed = time.perf_counter()
    measure = Measure(task.seed)
    with tempfile.TemporaryDirectory() as folder:
        args = ReinforceConfig(
            folder,
            seed=task.seed,
            use_cpu=True,
            history="none",
            num_envs=GAMES_A_ROLLOUT,
            episodes_per_rollout=GAMES_A_ROLLOUT,
            num_rollouts=task.rollouts,
            num_mini_batches=MINI_BATCHES,
            logging_steps=MINI_BATCHES,
            max_completion_length=REPLY_TOKENS,
            gamma=1.0,
            rebn_scope="role",
            learning_rate=LEARNING_RATE,
            lr_scheduler_type="linear",
            entropy_coef=ENTROPY_COEF,
            beta=BETA,
            opponent_share=OPPONENT_SHARE,
            opponent_interval=1,
            opponent_pool_size=100,
            per_device_train_batch_size=256,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
        )
        trainer = ReinforceTrainer(
            model, args, env=game, processing_class=tokenizer, callbacks=[measure]
        )
        measure.trainer = trainer
        measure.measure()
        trainer.train()
        trainer.close()
    return Result(
        [each["exploitability"] for each in measure.measured],
        [each["exploitability_average"] for each in measure.measured],
        measure.measured[-1]["legal_mass"],
        sum(parameter.numel() for parameter in model.parameters()),
        (warmed - started, time.perf_counter() - warmed),
    )


def draw(results: list[Result], path: Path) -> None:
    """Draw exploitability over the rollouts."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axis = cast("Any", pyplot).subplots(figsize=(6.5, 3.6), layout="constrained")
    for seed, result in enumerate(results):
        color = f"C{seed}"
        axis.plot(result.last, color=color, label=f"seed {seed}, the policy as it is")
        axis.plot(result.average, color=color, linestyle="--", label="its average so far")
        axis.axhline(result.last[0] / 3, color=color, linestyle=":", linewidth=0.8)
    axis.set(xlabel="rollout", ylabel="exploitability (chips a game)", ylim=(0, None))
    axis.legend(fontsize="small")
    figure.suptitle(f"{ID} against itself; dotted: a third of the warm start's", fontsize="medium")
    figure.savefig(path, dpi=120)


def main() -> None:
    """Run every seed, print and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3, help="how many (default: %(default)s)")
    parser.add_argument("--rollouts", type=int, default=90, help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=2, help="seeds at a time, a core each")
    options = parser.parse_args()
    started = time.perf_counter()
    tasks = [Task(seed, options.rollouts) for seed in range(options.seeds)]
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        results = list(pool.map(run, tasks))
    seconds = time.perf_counter() - started
    lines = [
        f"| {seed} | {r.last[0]:.3f} | {r.last[-1]:.3f} ({r.last[-1] / r.last[0]:.2f}) | "
        f"{r.average[-1]:.3f} ({r.average[-1] / r.last[0]:.2f}) | {r.legal_mass:.3f} | "
        f"{r.seconds[0]:.0f} + {r.seconds[1]:.0f} |"
        for seed, r in enumerate(results)
    ]
    text = "\n".join(
        [
            f"# Self-play: a tiny model in {ID}",
            "",
            f"`python benchmarks/self_play.py --seeds {options.seeds} --rollouts "
            f"{options.rollouts} --jobs {options.jobs}`, {datetime.date.today()}, "
            f"{platform.machine()}, torch {torch.__version__}; {seconds / 60:.1f} minutes in all.",
            "",
            f"{results[0].parameters / 1e6:.2f}M parameters; {GAMES_A_ROLLOUT} games a rollout, "
            f"learning rate {LEARNING_RATE:g}, linearly to 0; entropy_coef {ENTROPY_COEF}, beta "
            f"{BETA}, opponent_share {OPPONENT_SHARE}. "
            "Exact exploitability in chips a game (NashConv over 2; an equilibrium has "
            "0), of the legal replies scaled to add up to 1; in brackets its ratio to the warm "
            "start's. The average is over all rollouts, the first included.",
            "",
            "| seed | warm start | trained | average of the run | mean legal mass | seconds: "
            "warm start + training |",
            "|---|---|---|---|---|---|",
            *lines,
            "",
            f"![exploitability over the rollouts]({OUT.stem}.png)",
        ]
    )
    OUT.write_text(text + "\n", encoding="utf-8")
    draw(results, OUT.with_suffix(".png"))
    print(f"\n{text}\n\nWritten to {OUT}.")


if __name__ == "__main__":
    main()
