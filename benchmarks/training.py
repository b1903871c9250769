"""Where a training step's time goes, and tokens a second beside TRL's GRPOTrainer.

    python benchmarks/training.py [--runs 5] [--steps 6]

1. Profile: a 0.8M-parameter model on GuessTheNumber (many turns, a growing chat). Which share of
   the wall time is generation, forward and backward passes and the optimizer, and what is the rest?
2. Speed: the same model, single-turn episodes, equal prompts, group size, lengths and sampling,
   once in ReinforceTrainer (grpo) and once in GRPOTrainer, in turn. The ratio is the median of the
   runs' ratios; the first step of each run, which warms up, is left out.

Writes benchmarks/results/training.md. Minutes on two cores; set OMP_NUM_THREADS.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, ClassVar, NamedTuple

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

import gymnasium as gym
import torch
from datasets import Dataset
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from gem_gymnasium.core.spaces import UnicodeText
from gem_gymnasium.wrappers import History
from gem_trl import ReinforceConfig, ReinforceTrainer, tiny

OUT = Path(__file__).resolve().parent / "results" / "training.md"
ID = "gem/GuessTheNumber-v0"
GROUP_SIZE, EPISODES, REPLY_TOKENS = 8, 64, 48
QUESTION = "Which number between 1 and 100 is hidden? Answer with one guess in a box. " * 4
REQUIRED_SHARE, REQUIRED_RATIO = 0.9, 1.0


class OneQuestion(gym.Env[str, str]):
    """A single-turn env: the same question each time, paid by the reply's letters."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(self) -> None:
        self.observation_space = self.action_space = UnicodeText()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[str, dict[str, Any]]:
        """Ask."""
        super().reset(seed=seed)
        return QUESTION, {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Pay and end."""
        return "", reward_of(action), True, False, {"success": False}


def reward_of(reply: str) -> float:
    """Return the share of a reply's characters that are an e."""
    return reply.count("e") / max(len(reply), 1)


class Clock(TrainerCallback):
    """Notes the time and the tokens at the end of each optimizer step."""

    def __init__(self) -> None:
        self.ends: list[float] = []
        self.tokens: list[int] = []

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Note both."""
        self.ends.append(time.perf_counter())
        self.tokens.append(state.num_input_tokens_seen)

    def tokens_per_second(self) -> float:
        """Return the rate from the end of the first step to the end of the last."""
        return (self.tokens[-1] - self.tokens[0]) / (self.ends[-1] - self.ends[0])


def build() -> tuple[Any, Any]:
    """Return a tokenizer of ordinary words and a function that builds the model."""
    chats = list(tiny.play_conversations(lambda: History(gym.make(ID), "messages"), 300, 0.5, 0))
    texts = [QUESTION, *(message["content"] for chat in chats for message in chat)]
    tokenizer = tiny.train_tokenizer(texts, vocab_size=512)
    warm = tiny.build_model(tokenizer, hidden=128, layers=4, heads=4)
    tiny.warm_start(warm, tiny.encode_conversations(tokenizer, chats), steps=80, learning_rate=3e-3)
    return tokenizer, warm


def copy_of(model: Any) -> Any:
    """Return a model of the same weights."""
    twin = type(model)(model.config)
    twin.load_state_dict(model.state_dict())
    twin.generation_config = model.generation_config
    return twin


COMMON: dict[str, Any] = {
    "use_cpu": True,
    "bf16": False,
    "gradient_checkpointing": False,  # on by default in TRL's
    "per_device_train_batch_size": EPISODES,
    "max_completion_length": REPLY_TOKENS,
    "learning_rate": 1e-5,
    "lr_scheduler_type": "constant",
    "temperature": 1.0,
    "save_strategy": "no",
    "report_to": "none",
    "disable_tqdm": True,
    "logging_steps": 1,
}


def ours(folder: str, tokenizer: Any, model: Any, steps: int) -> float:
    """Return tokens a second of ReinforceTrainer."""
    clock = Clock()
    args = ReinforceConfig(
        folder,
        advantage_estimator="grpo",
        gamma=1.0,
        group_size=GROUP_SIZE,
        num_envs=EPISODES,
        episodes_per_rollout=EPISODES,
        num_rollouts=steps,
        history="none",
        truncated_replies="mask",  # the env gets the text, as TRL's reward function does
        **COMMON,
    )
    trainer = ReinforceTrainer(
        copy_of(model), args, env=OneQuestion, processing_class=tokenizer, callbacks=[clock]
    )
    trainer.train()
    trainer.close()
    return clock.tokens_per_second()


def theirs(folder: str, tokenizer: Any, model: Any, steps: int) -> float:
    """Return tokens a second of GRPOTrainer."""
    clock = Clock()
    prompts = Dataset.from_list([{"prompt": [{"role": "user", "content": QUESTION}]}] * EPISODES)
    args = GRPOConfig(folder, num_generations=GROUP_SIZE, beta=0.0, max_steps=steps, **COMMON)

    def reward(completions: list[Any], **kwargs: Any) -> list[float]:
        return [reward_of(completion[0]["content"]) for completion in completions]

    trainer = GRPOTrainer(
        copy_of(model),
        reward_funcs=reward,
        args=args,
        train_dataset=prompts,
        processing_class=tokenizer,
        callbacks=[clock],
    )
    trainer.train()
    return clock.tokens_per_second()


class Share(NamedTuple):
    """Seconds in the parts of a training run that a policy gradient must spend, and in all."""

    generate: float
    forward_backward: float
    optimizer: float
    env: float
    prompts: float
    whole: float

    @property
    def needed(self) -> float:
        """The share of generation, forward and backward passes, and the optimizer."""
        return (self.generate + self.forward_backward + self.optimizer) / self.whole


def profile(folder: str, tokenizer: Any, model: Any, steps: int) -> Share:
    """Time the parts of training on a game of many turns, without the first step."""
    args = ReinforceConfig(
        folder,
        num_envs=EPISODES,
        episodes_per_rollout=EPISODES,
        num_rollouts=steps,
        history="messages",
        **{**COMMON, "max_completion_length": 16},
    )
    trainer: Any = ReinforceTrainer(copy_of(model), args, env=ID, processing_class=tokenizer)
    spent: dict[str, float] = {}

    def timed(name: str, owner: Any, method: str) -> None:
        inner: Callable[..., Any] = getattr(owner, method)

        def outer(*arguments: Any, **options: Any) -> Any:
            started = time.perf_counter()
            try:
                return inner(*arguments, **options)
            finally:
                spent[name] = spent.get(name, 0.0) + time.perf_counter() - started

        setattr(owner, method, outer)

    timed("generate", trainer._generator, "generate")
    timed("forward_backward", trainer, "compute_loss")
    timed("forward_backward", trainer.accelerator, "backward")
    timed("env", trainer._experience.collector.envs, "step")
    timed("env", trainer._experience.collector.envs, "start")
    timed("prompts", trainer._encoder, "encode")
    timed("prompts", trainer._encoder, "decode")
    started: list[float] = []

    class FromTheSecondStep(TrainerCallback):
        def on_train_begin(self, *a: Any, optimizer: Any = None, **k: Any) -> None:
            timed("optimizer", optimizer, "step")

        def on_step_end(self, *a: Any, **k: Any) -> None:
            if not started:
                spent.clear()
                started.append(time.perf_counter())

    trainer.add_callback(FromTheSecondStep())
    trainer.train()
    whole = time.perf_counter() - started[0]
    trainer.close()
    return Share(whole=whole, **{name: spent.get(name, 0.0) for name in Share._fields[:-1]})


def main() -> None:
    """Measure, print and write the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5, help="of each (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=6, help="a run (default: %(default)s)")
    options = parser.parse_args()
    tokenizer, model = build()
    parameters = sum(parameter.numel() for parameter in model.parameters())
    shares: list[Share] = []
    rates: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        for run in range(options.runs):
            shares.append(profile(folder, tokenizer, model, options.steps))
            pair = (
                ours(folder, tokenizer, model, options.steps),
                theirs(folder, tokenizer, model, options.steps),
            )
            rates.append(pair)
            print(
                f"run {run + 1}: needed {shares[-1].needed:.3f}; tokens/s {pair[0]:.0f} and "
                f"{pair[1]:.0f}, ratio {pair[0] / pair[1]:.2f}",
                flush=True,
            )
    middle = sorted(shares, key=lambda share: share.needed)[len(shares) // 2]
    rows = [
        f"| {name.replace('_', ' + ')} | {getattr(middle, name):.2f} | "
        f"{getattr(middle, name) / middle.whole:.1%} |"
        for name in Share._fields[:-1]
    ]
    rest = middle.whole - sum(middle[:-1])
    ratio = median(a / b for a, b in rates)
    needed = median(share.needed for share in shares)
    text = [
        "# Where a training step's time goes, and tokens a second beside TRL",
        "",
        f"`python benchmarks/training.py --runs {options.runs} --steps {options.steps}`, "
        f"{datetime.date.today()}, {platform.machine()}, {torch.get_num_threads()} threads, torch "
        f"{torch.__version__}, transformers {version('transformers')}, trl {version('trl')}; a "
        f"model of {parameters / 1e6:.1f}M parameters.",
        "",
        f"## Profile: {ID}, {EPISODES} episodes a step",
        "",
        "| part | seconds | share |",
        "|---|---|---|",
        *rows,
        f"| rest | {rest:.2f} | {rest / middle.whole:.1%} |",
        "",
        f"Generation, forward and backward passes and the optimizer: {needed:.1%} of the wall time "
        f"(median of {len(shares)} runs; required {REQUIRED_SHARE:.0%}).",
        "",
        f"## Tokens a second: {EPISODES} single-turn episodes, groups of {GROUP_SIZE}, at most "
        f"{REPLY_TOKENS} reply tokens",
        "",
        "| run | ReinforceTrainer | GRPOTrainer | ratio |",
        "|---|---|---|---|",
        *(f"| {i} | {a:.0f} | {b:.0f} | {a / b:.2f} |" for i, (a, b) in enumerate(rates, start=1)),
        "",
        f"Median ratio **{ratio:.2f}** (required {REQUIRED_RATIO:.0f}).",
    ]
    OUT.write_text("\n".join(text) + "\n", encoding="utf-8")
    print(f"\nWritten to {OUT}.")


if __name__ == "__main__":
    main()
