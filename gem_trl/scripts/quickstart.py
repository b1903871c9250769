"""From nothing to learning on two CPU cores: ``gem-trl quickstart``.

Builds a tiny model offline, warms it up on a sloppy player's games, trains it by turn-level
REINFORCE with Return Batch Normalization, and shows what it learned beside a random player and a
solver, on the same fixed episodes.
"""

# torch, transformers and trl are partly untyped; what comes out of them is cast where it matters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import gymnasium as gym
import numpy as np

if TYPE_CHECKING:  # it imports torch, which `--help` need not wait for
    from gem_trl.tiny import SkilledMove

DESCRIPTION = """\
Train a tiny language model on a text game, on two CPU cores, in about ten minutes.

The model (0.3 million parameters and a tokenizer of its own) is built on the spot; nothing is
downloaded. It is warmed up on the games of a sloppy player, then trained by turn-level REINFORCE
with Return Batch Normalization. At the end a table compares, over the same fixed episodes and with
greedy replies, a random player, the warm start, the trained model and the solver. The picture
(curve.png), the metrics (metrics.jsonl), the table and the model lie in the output folder.
"""


class Recipe(NamedTuple):
    """What differs from game to game: how the past is shown, and how long and fast to train."""

    history: str = "messages"
    warm_up_games: int = 12_000
    skilled_move: SkilledMove = "consistent"
    warm_up_steps: int = 600
    warm_up_rate: float = 2e-3
    rollouts: int = 100
    mini_batches: int = 2
    learning_rate: float = 7e-4
    entropy_coef: float = 0.0
    gamma: float = 0.9


# The bonus keeps a fast learner from settling on a rule that is nearly right.
DEFAULT_RECIPE = Recipe(entropy_coef=0.02)
RECIPES: Mapping[str, Recipe] = {
    # In these two a good move pays at once (a peg in place, a cell), and what comes later is mostly
    # luck: with gamma 0 it is no noise in the advantages.
    "gem/Mastermind-easy-v0": Recipe(
        warm_up_games=6_000,
        skilled_move="best",
        warm_up_steps=800,
        warm_up_rate=3e-3,
        rollouts=60,
        mini_batches=4,
        gamma=0.0,
    ),
    # The board tells all that matters, so the prompt is the newest observation alone.
    "gem/Sudoku-easy-v0": Recipe(
        "none",
        warm_up_games=2_500,
        skilled_move="best",
        warm_up_steps=1_000,
        warm_up_rate=3e-3,
        rollouts=60,
        mini_batches=4,
        entropy_coef=0.01,
        gamma=0.0,
    ),
}

SKILL = 0.35
"""Share of the sloppy player's moves that are skilled; the others are random."""

EPISODES_PER_ROLLOUT = 160
MAX_REPLY_TOKENS = 16


def make_parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    parser = argparse.ArgumentParser(
        prog="gem-trl quickstart",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--env", default="gem/GuessTheNumber-easy-v0", help="id to learn (default: %(default)s)")
    add(
        "--output", type=Path, default=Path("runs/quickstart"), help="folder (default: %(default)s)"
    )
    add("--seed", type=int, default=0, help="seed of everything (default: %(default)s)")
    add("--warm-up-steps", type=int, help="optimizer steps of the warm start (default: per game)")
    add("--rollouts", type=int, help="rollouts of the training (default: per game)")
    add("--gamma", type=float, help="discount per turn (default: per game)")
    add("--learning-rate", type=float, help="highest rate of the training (default: per game)")
    add("--eval-episodes", type=int, default=500, help="fixed episodes (default: %(default)s)")
    return parser


def main(options: argparse.Namespace) -> None:
    """Run the whole thing; see ``DESCRIPTION``."""
    # Before torch is imported. Threads that wait must sleep: where other work holds a core, those
    # that spin (the default) make a step ten times slower.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from tqdm import tqdm

    from gem_gymnasium.solvers import solver_for
    from gem_trl import ReinforceConfig, ReinforceTrainer, scores, tiny
    from gem_trl.envs import with_history
    from gem_trl.rollout import EVALUATION, derived_seed

    started = time.perf_counter()
    check_env(options.env)
    recipe = RECIPES.get(options.env, DEFAULT_RECIPE)
    rollouts = recipe.rollouts if options.rollouts is None else options.rollouts
    warm_up_steps = options.warm_up_steps
    if warm_up_steps is None:
        warm_up_steps = recipe.warm_up_steps
    rate = recipe.learning_rate if options.learning_rate is None else options.learning_rate
    output: Path = options.output

    # First of all, so that an option it refuses is refused at once.
    args = ReinforceConfig(
        str(output / "trainer"),
        seed=options.seed,
        use_cpu=True,
        history=recipe.history,
        num_envs=EPISODES_PER_ROLLOUT,
        episodes_per_rollout=EPISODES_PER_ROLLOUT,
        num_rollouts=rollouts,
        num_mini_batches=recipe.mini_batches,
        logging_steps=recipe.mini_batches,  # one entry a rollout
        max_completion_length=MAX_REPLY_TOKENS,
        gamma=recipe.gamma if options.gamma is None else options.gamma,
        learning_rate=rate,
        entropy_coef=recipe.entropy_coef,
        lr_scheduler_type="linear",
        warmup_steps=8,
        per_device_train_batch_size=128,
        eval_episodes=options.eval_episodes,
        save_strategy="no",
        report_to="none",
        disable_tqdm=False,
    )
    output.mkdir(parents=True, exist_ok=True)

    def make_env() -> gym.Env[Any, Any]:
        return with_history(cast("Any", gym.make(options.env)), recipe.history, {})

    say(f"1/4  {recipe.warm_up_games} games of a sloppy player; a tokenizer and a tiny model")
    games, skilled = recipe.warm_up_games, recipe.skilled_move
    chats = list(tiny.play_conversations(make_env, games, SKILL, options.seed, skilled))
    texts = [message["content"] for chat in chats[:1_000] for message in chat]
    tokenizer = tiny.train_tokenizer(texts)
    model = tiny.build_model(tokenizer, seed=options.seed)
    sequences = tiny.encode_conversations(tokenizer, chats)

    say(f"2/4  warm start: {warm_up_steps} steps of language modelling")
    with tqdm(total=warm_up_steps, unit="step") as bar:

        def on_step(step: int, loss: float) -> None:
            bar.update()
            bar.set_postfix(loss=f"{loss:.3f}")

        tiny.warm_start(
            model,
            sequences,
            steps=warm_up_steps,
            learning_rate=recipe.warm_up_rate,
            seed=options.seed,
            on_step=on_step,
        )

    trainer = ReinforceTrainer(model, args, env=options.env, processing_class=tokenizer)

    def model_episodes() -> list[scores.Played]:
        return [
            scores.Played(episode.total_reward, len(episode.turns), episode.success)
            for episode in trainer.play_evaluation()
        ]

    say(
        f"3/4  {options.eval_episodes} fixed games of the warm start, the random player, the solver"
    )
    env = gym.make(options.env)
    _, info = env.reset(seed=0)
    seeds = [
        derived_seed(args.eval_seed, EVALUATION, episode) for episode in range(args.eval_episodes)
    ]
    rng = np.random.default_rng(options.seed)
    random_player = tiny.SloppyPlayer(env, 0.0, rng)
    played = {
        "random player": scores.play(env, random_player, seeds),
        "warm start": model_episodes(),
        "trained model": [],
        "solver": scores.play(env, solver_for(env), seeds),
    }

    say(f"4/4  training: {rollouts} rollouts of {EPISODES_PER_ROLLOUT} games")
    trainer.train()
    played["trained model"] = model_episodes()

    table = {name: scores.score_of(games, info["max_turns"]) for name, games in played.items()}
    trainer.save_model(str(output / "model"))
    trainer.close()
    lines = table_lines(table)
    logs = [entry for entry in trainer.state.log_history if "episode/return" in entry]
    with (output / "metrics.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in logs)
    title = f"{options.env}, seed {options.seed}, {len(seeds)} fixed games, greedy, 95 % intervals"
    (output / "table.md").write_text(f"{title}\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    draw_curve(output / "curve.png", logs, table, options.env)
    say("", title, "", *lines, "")
    say(
        f"{time.perf_counter() - started:.0f} s in all. The picture is {output / 'curve.png'}, the "
        f"metrics {output / 'metrics.jsonl'}, the model {output / 'model'}."
    )


def check_env(id: str) -> None:
    """Refuse an env without a solver, some of whose moves the sloppy player makes.

    Raises:
        ConfigError: It has none.
        UnknownName: There is no such env.
    """
    from gem_gymnasium import errors
    from gem_gymnasium.solvers import solver_for
    from gem_trl import games

    env = games.make(id)
    try:
        solver_for(env)
    except errors.UnknownName as error:
        raise errors.ConfigError(
            f"the quickstart imitates a solver, and {id} has none for a single player; for games "
            "of several, examples/08_self_play.py trains a model in every seat"
        ) from error
    finally:
        env.close()


def say(*lines: str) -> None:
    """Write lines for the person who watches."""
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def table_lines(table: Mapping[str, Any]) -> list[str]:
    """Return the comparison as a Markdown table."""

    def cell(interval: Sequence[float], digits: int = 2) -> str:
        mean, low, high = (f"{value:.{digits}f}" for value in interval)
        return f"{mean} [{low}, {high}]"

    lines = ["| player | success | mean turns | normalized score |", "|---|---|---|---|"]
    for name, score in table.items():
        normalized = score.normalized(table["random player"], table["solver"])
        lines.append(
            f"| {name} | {cell(score.success, 3)} | {cell(score.turns)} | {cell(normalized)} |"
        )
    return lines


def draw_curve(
    path: Path, logs: Sequence[Mapping[str, Any]], table: Mapping[str, Any], env_id: str
) -> None:
    """Draw success and turns of the sampled training games over the rollouts."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = cast("Any", pyplot).subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    rollouts = range(1, len(logs) + 1)
    panels = (
        ("share of games won", "episode/success", "success"),
        ("turns a game", "episode/length", "turns"),
    )
    for axis, (label, metric, field) in zip(axes, panels, strict=True):
        axis.plot(rollouts, [entry[metric] for entry in logs], color="tab:blue", label="training")
        for name, style in (("random player", ":"), ("solver", "--")):
            level = getattr(table[name], field).mean
            axis.axhline(level, color="gray", linestyle=style, label=name)
        trained = getattr(table["trained model"], field)
        axis.errorbar(
            [len(logs)],
            [trained.mean],
            [[trained.mean - trained.low], [trained.high - trained.mean]],
            fmt="o",
            color="tab:orange",
            label="trained, greedy",
        )
        axis.set_xlabel("rollout")
        axis.set_ylabel(label)
    axes[0].legend(fontsize="small")
    figure.suptitle(f"{env_id}: a 0.3M-parameter model, ReBN, two CPU cores", fontsize="medium")
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main(make_parser().parse_args())
