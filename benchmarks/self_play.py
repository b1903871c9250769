"""Self-play of a tiny model: before, on the way and after, seed by seed.

    python benchmarks/self_play.py --game kuhn [--seeds 3] [--rollouts 90] [--jobs 2]
    python benchmarks/self_play.py --game tic_tac_toe

For each seed a language model is built on the spot, warmed up on games of a sloppy player (some of
its moves are the solver's, the others random) and trained by ReinforceTrainer against itself: one
policy in both seats, in some games an earlier self in one of them, returns normalised for each
role.

- kuhn: every information set is asked for the chance of each legal reply, and the best answers to
  that policy are computed exactly. Ten minutes a seed on one core.
- tic_tac_toe: the greedy policy plays a perfect player, and a random one. Half an hour a seed.

Writes benchmarks/results/self_play_GAME.md and .png.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, cast

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import gymnasium as gym
import pettingzoo
import torch
from transformers import TrainerCallback

from gem_gymnasium.core.intervals import wilson
from gem_trl import ReinforceConfig, ReinforceTrainer, tiny

OUT = Path(__file__).resolve().parent / "results"
Measured = dict[str, float]
GAMES = 4_000
"""Of the sloppy player."""
COMMON = {
    "use_cpu": True,
    "history": "none",
    "gamma": 1.0,
    "rebn_scope": "role",
    "lr_scheduler_type": "linear",
    "opponent_pool_size": 100,
    "per_device_train_batch_size": 256,
    "save_strategy": "no",
    "report_to": "none",
    "disable_tqdm": True,
}


class Recipe(NamedTuple):
    """How a game is learned, and how well it is played."""

    id: str
    measure: Callable[[Any], Measured]
    """Of a trainer; what comes first is drawn, once for each of ``labels``."""
    every: int
    """Rollouts from one measurement to the next."""
    columns: dict[str, Callable[[list[Measured]], str]]
    """The table's, from all measurements of a seed."""
    about: str
    labels: tuple[str, ...]
    axis: str
    aim: Callable[[Measured], float]
    """From what was measured at the start."""
    skill: float
    """The share of the sloppy player's moves that are the solver's."""
    steps: int
    batch: int
    layers: int
    pieces: str
    """What the tokenizer never joins."""
    reply_tokens: int
    """Exactly those of a move in its plain form, so that nothing can be said behind it for free."""
    rollouts: int
    games: int
    """Games of a rollout."""
    mini_batches: int
    options: dict[str, Any]
    """Of ReinforceConfig, beside COMMON."""


# -- Kuhn poker ----------------------------------------------------------------------------------
def exploitability(trainer: Any) -> Measured:
    """Measure the policy as it is, and its average so far, in chips a game."""
    metrics: Measured = trainer._exploitability.measure()
    return {name.rsplit("/", 1)[1]: value for name, value in metrics.items()}


def with_ratio(value: float, whole: float) -> str:
    """Return a value, and in brackets its share of another."""
    return f"{value:.3f} ({value / whole:.2f})"


KUHN = Recipe(
    id="gem/KuhnPoker-v0",
    measure=exploitability,
    every=1,
    columns={
        "warm start": lambda m: f"{m[0]['exploitability']:.3f}",
        "trained": lambda m: with_ratio(m[-1]["exploitability"], m[0]["exploitability"]),
        "average of the run": lambda m: with_ratio(
            m[-1]["exploitability_average"], m[0]["exploitability"]
        ),
        "mean legal mass": lambda m: f"{m[-1]['legal_mass']:.3f}",
    },
    about="Exact exploitability in chips a game (NashConv over 2; an equilibrium has 0), of the "
    "legal replies scaled to add up to 1; in brackets its ratio to the warm start's. The average "
    "is over all rollouts, the first included.",
    labels=("the policy as it is", "its average so far"),
    axis="exploitability (chips a game)",
    aim=lambda start: start["exploitability"] / 3,
    skill=0.35,
    steps=1_400,
    batch=16,
    layers=2,
    pieces=tiny.WORDS,
    reply_tokens=6,
    rollouts=90,
    games=192,
    mini_batches=2,
    options={
        "learning_rate": 1.2e-4,
        "entropy_coef": 0.12,
        "beta": 0.03,
        "opponent_share": 0.3,
        "opponent_interval": 1,
    },
)


# -- tic-tac-toe ---------------------------------------------------------------------------------
def results(trainer: Any) -> Measured:
    """Measure the greedy policy: games not lost to the perfect player, and won of a random one."""
    found: Measured = {}
    for player, name, least in (("solver", "not lost", 0.0), ("random", "beats random", 1.0)):
        id = f"gem/TicTacToe-vs-{player}-v0"
        episodes = trainer.play_evaluation(lambda id=id: gym.make(id, retries=0))
        found[name] = sum(each.total_reward >= least for each in episodes) / len(episodes)
    return found


def percent(value: float) -> str:
    """Return a share of the games in percent, with its 95 % interval."""
    low, high = wilson(value, TIC_TAC_TOE.options["eval_episodes"])
    return f"{100 * value:.1f} % [{100 * low:.0f}, {100 * high:.0f}]"


TIC_TAC_TOE = Recipe(
    id="gem/TicTacToe-v0",
    measure=results,
    every=10,
    columns={
        "warm start: not lost": lambda m: percent(m[0]["not lost"]),
        "trained: not lost": lambda m: percent(m[-1]["not lost"]),
        "beats a random player": lambda m: (
            f"{percent(m[0]['beats random'])} to {percent(m[-1]['beats random'])}"
        ),
    },
    about="Games of the greedy policy that were not lost to the perfect player, who draws among "
    "its best moves, and that were won of a random one; 400 games each, seats drawn; in brackets "
    "95 % intervals. A reply without a legal move loses.",
    labels=("greedy",),
    axis="not lost to the perfect player",
    aim=lambda start: 0.9,
    skill=0.5,
    steps=4_000,
    batch=32,
    layers=3,
    pieces=tiny.CELLS,
    reply_tokens=4,
    rollouts=80,
    games=512,
    mini_batches=8,
    options={
        "learning_rate": 3e-4,
        "gamma": 0.9,
        "entropy_coef": 0.1,
        "beta": 0.02,
        "opponent_share": 0.3,
        "opponent_interval": 1,
        "eval_episodes": 400,
    },
)

RECIPES = {"kuhn": KUHN, "tic_tac_toe": TIC_TAC_TOE}


# -- a run ---------------------------------------------------------------------------------------
class Task(NamedTuple):
    """One seed's run."""

    game: str
    seed: int
    rollouts: int


class Result(NamedTuple):
    """What was measured, from before the first rollout to the end."""

    measured: list[Measured]
    parameters: int
    seconds: tuple[float, float]
    """Of the warm start, and of the training."""


class Measure(TrainerCallback):
    """Measures the policy before the training and every so many rollouts."""

    def __init__(self, task: Task) -> None:
        self.task, self.recipe = task, RECIPES[task.game]
        self.trainer: Any = None
        self.rollout = 0
        self.measured: list[Measured] = []

    def measure(self) -> None:
        """Measure now."""
        self.measured.append(self.recipe.measure(self.trainer))
        shown = ", ".join(f"{name} {value:.4f}" for name, value in self.measured[-1].items())
        print(f"seed {self.task.seed}, rollout {self.rollout}: {shown}", flush=True)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Measure after the steps of a rollout."""
        if "loss" in logs:
            self.rollout += 1
            if self.rollout % self.recipe.every == 0:
                self.measure()


def run(task: Task) -> Result:
    """Warm up, train and measure one model."""
    torch.set_num_threads(1)
    started = time.perf_counter()
    recipe = RECIPES[task.game]

    def game() -> Any:  # a reply without a legal move loses at once
        return pettingzoo.make("aec", recipe.id, retries=0)

    chats = list(tiny.play_games(game, GAMES, recipe.skill, task.seed))
    texts = [message["content"] for chat in chats for message in chat]
    tokenizer = tiny.train_tokenizer(texts, 700, recipe.pieces)
    model = tiny.build_model(tokenizer, hidden=64, layers=recipe.layers, seed=task.seed)
    sequences = tiny.encode_conversations(tokenizer, chats)
    tiny.warm_start(
        model,
        sequences,
        steps=recipe.steps,
        batch_size=recipe.batch,
        learning_rate=3e-3,
        seed=task.seed,
    )
    warmed = time.perf_counter()
    measure = Measure(task)
    with tempfile.TemporaryDirectory() as folder:
        args = ReinforceConfig(
            folder,
            seed=task.seed,
            num_envs=recipe.games,
            episodes_per_rollout=recipe.games,
            num_rollouts=task.rollouts,
            num_mini_batches=recipe.mini_batches,
            logging_steps=recipe.mini_batches,
            max_completion_length=recipe.reply_tokens,
            **{**COMMON, **recipe.options},
        )
        trainer = ReinforceTrainer(
            model, args, env=game, processing_class=tokenizer, callbacks=[measure]
        )
        measure.trainer = trainer
        measure.measure()
        trainer.train()
        trainer.close()
    return Result(
        measure.measured,
        sum(parameter.numel() for parameter in model.parameters()),
        (warmed - started, time.perf_counter() - warmed),
    )


def draw(recipe: Recipe, seeds: Sequence[int], found: list[Result], path: Path) -> None:
    """Draw what was measured over the rollouts."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axis = cast("Any", pyplot).subplots(figsize=(6.5, 3.6), layout="constrained")
    lines = list(found[0].measured[0])[: len(recipe.labels)]
    for seed, result in zip(seeds, found, strict=True):
        for name, label, style in zip(lines, recipe.labels, ("-", "--"), strict=False):
            axis.plot(
                [recipe.every * place for place in range(len(result.measured))],
                [each[name] for each in result.measured],
                color=f"C{seed}",
                linestyle=style,
                label=f"seed {seed}, {label}",
            )
        aim = recipe.aim(result.measured[0])
        axis.axhline(aim, color=f"C{seed}", linestyle=":", linewidth=0.8)
    axis.set(xlabel="rollout", ylabel=recipe.axis, ylim=(0, None))
    axis.legend(fontsize="small")
    figure.suptitle(f"{recipe.id} against itself; dotted: the aim", fontsize="medium")
    figure.savefig(path, dpi=120)


def page_of(
    game: str, seeds: Sequence[int], rollouts: int, found: list[Result], command: str
) -> str:
    """Return the page of results."""
    recipe = RECIPES[game]
    rows = [
        [
            str(seed),
            *(column(result.measured) for column in recipe.columns.values()),
            f"{result.seconds[0]:.0f} + {result.seconds[1]:.0f}",
        ]
        for seed, result in zip(seeds, found, strict=True)
    ]
    header = ["seed", *recipe.columns, "seconds: warm start + training"]
    options = ", ".join(f"{name} {value:g}" for name, value in recipe.options.items())
    return "\n".join(
        [
            f"# Self-play: a tiny model in {recipe.id}",
            "",
            f"`{command}`, {datetime.date.today()}, {platform.machine()}, "
            f"torch {torch.__version__}, one core a seed.",
            "",
            f"{found[0].parameters / 1e6:.2f}M parameters, warmed up for {recipe.steps:,} steps of "
            f"{recipe.batch} turns; {100 * recipe.skill:.0f} % of the moves they show are the "
            f"solver's, the others random. Then {rollouts} rollouts of {recipe.games} games "
            f"against itself: {options}, the learning rate linearly to 0. {recipe.about}",
            "",
            f"| {' | '.join(header)} |",
            "|---" * len(header) + "|",
            *(f"| {' | '.join(row)} |" for row in rows),
            "",
            f"![over the rollouts](self_play_{game}.png)",
            "",
        ]
    )


def main() -> None:
    """Run every seed, print and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=RECIPES, required=True)
    parser.add_argument("--seeds", type=int, default=3, help="how many (default: %(default)s)")
    parser.add_argument("--first-seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--rollouts", type=int, help="default: the recipe's")
    parser.add_argument("--jobs", type=int, default=2, help="seeds at a time, a core each")
    options = parser.parse_args()
    recipe = RECIPES[options.game]
    rollouts = recipe.rollouts if options.rollouts is None else options.rollouts
    if rollouts < 1 or rollouts % recipe.every:  # else the end would not be measured
        parser.error(f"--rollouts must be a multiple of {recipe.every}, got {rollouts}")
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    tasks = [Task(options.game, seed, rollouts) for seed in seeds]
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(run, tasks))
    command = (
        f"python benchmarks/self_play.py --game {options.game} --seeds {options.seeds} "
        f"--first-seed {options.first_seed} --rollouts {rollouts}"
    )
    text = page_of(options.game, seeds, rollouts, found, command)
    page = OUT / f"self_play_{options.game}.md"
    page.write_text(text, encoding="utf-8")
    draw(recipe, seeds, found, page.with_suffix(".png"))
    print(f"\n{text}\nWritten to {page}.")


if __name__ == "__main__":
    main()
