"""One warm start, or one training run from it, with its scores: what a process of a law does."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, cast

import gymnasium as gym
from gymnasium.utils.seeding import np_random
from recipe import Game, Recipe, summary
from transformers import (
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    PrinterCallback,
    TrainerCallback,
)

from gem_gymnasium.core.text_env import MALFORMED
from gem_gymnasium.games.guess_the_number import Config, deal
from gem_trl import ReinforceConfig, ReinforceTrainer, tiny
from gem_trl.envs import open_envs, with_history
from gem_trl.generation import Sampling, TransformersGenerator, eos_ids_of
from gem_trl.prompts import PromptEncoder
from gem_trl.rollout import EVALUATION, EVALUATION_SAMPLING, Collector, derived_seed

ID = "gem/GuessTheNumber-v0"

HISTORY, HISTORY_KWARGS = "messages", {"views": "none"}
"""A chat that only grows, without the turns left: one pass an episode, and short prompts."""

MAX_REPLY_TOKENS = 8
"""A guess takes six."""

MAX_POSITIONS = 1_024
CHATS_AT_A_TIME = 64
TIMEOUT_S = 600.0

Say = Callable[[str], None]


class Recorded(gym.Wrapper[str, str, str, str]):
    """Adds each game that ends to a list."""

    def __init__(self, env: gym.Env[str, str], games: list[Game]) -> None:
        super().__init__(env)
        self._games = games

    def step(self, action: str) -> tuple[str, Any, bool, bool, dict[str, Any]]:
        """Step, and note how the game ended."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            self._games.append(Game(info["turn"], info["success"], info["event"] == MALFORMED))
        return observation, reward, terminated, truncated, info


def make_env(recipe: Recipe) -> gym.Env[Any, Any]:
    """Return the game: no pay for a near miss; a malformed reply ends it, as in GEM."""
    return cast("Any", gym.make(ID, low=1, high=recipe.high, max_turns=recipe.turns))


def fixed_seeds(recipe: Recipe, repeats: int) -> list[int]:
    """Return seeds under which every target is dealt ``repeats`` times.

    They come from the stream of evaluation seeds, which training cannot draw.
    """
    config = Config(low=1, high=recipe.high, max_turns=recipe.turns)
    found: dict[int, list[int]] = {target: [] for target in range(1, recipe.high + 1)}
    number = 0
    while min(map(len, found.values())) < repeats:
        seed = derived_seed(0, EVALUATION, number)
        found[deal(config, np_random(seed)[0]).target].append(seed)
        number += 1
    return [seeds[repeat] for repeat in range(repeats) for seeds in found.values()]


def play(
    model: Any, tokenizer: PreTrainedTokenizerFast, recipe: Recipe, temperature: float
) -> list[Game]:
    """Play the fixed games: one of each target where greedy, else ``eval_repeats`` of each."""
    seeds = fixed_seeds(recipe, recipe.eval_repeats if temperature else 1)
    envs = open_envs(
        lambda: make_env(recipe), min(len(seeds), 128), HISTORY, HISTORY_KWARGS, TIMEOUT_S
    )
    collector = Collector(
        envs,
        PromptEncoder(tokenizer),
        TransformersGenerator(
            lambda: nullcontext(model),
            eos_ids=eos_ids_of(model, tokenizer),
            pad_id=cast("int", tokenizer.pad_token_id),
            device=model.device,
        ),
        max_prompt_tokens=MAX_POSITIONS - MAX_REPLY_TOKENS,
    )
    model.eval()
    episodes = collector.collect(
        len(seeds),
        lambda env, place: seeds[place],
        Sampling(max_new_tokens=MAX_REPLY_TOKENS, temperature=temperature),
        derived_seed(0, EVALUATION_SAMPLING),
    )
    envs.close()
    return [
        Game(len(episode.turns), episode.success, episode.turns[-1].event == MALFORMED)
        for episode in episodes
    ]


def scores(model: Any, tokenizer: PreTrainedTokenizerFast, recipe: Recipe) -> dict[str, Any]:
    """Return the summaries of greedy and of sampled play."""
    return {
        "greedy": summary(play(model, tokenizer, recipe, 0.0), recipe.turns),
        "sampled": summary(play(model, tokenizer, recipe, 1.0), recipe.turns),
    }


def warm_up(recipe: Recipe, seed: int, folder: Path, say: Say) -> dict[str, Any]:
    """Build a seed's warm start, save it in ``folder``, and return its scores."""
    started = time.perf_counter()

    def env_fn() -> gym.Env[Any, Any]:
        return with_history(make_env(recipe), HISTORY, HISTORY_KWARGS)

    losses: list[float] = []

    def on_step(step: int, loss: float) -> None:
        losses.append(loss)
        if step % 200 == 0 or step == recipe.warm_up_steps:
            say(f"step {step}/{recipe.warm_up_steps}, loss {fmean(losses):.4f}")
            losses.clear()

    chats = list(tiny.play_conversations(env_fn, recipe.warm_up_games, recipe.skill, seed))
    texts = [message["content"] for chat in chats[:1_000] for message in chat]
    tokenizer = tiny.train_tokenizer(texts)
    model = tiny.build_model(
        tokenizer, hidden=recipe.hidden, max_positions=MAX_POSITIONS, seed=seed
    )
    tiny.warm_start(
        model,
        tiny.encode_conversations(tokenizer, chats),
        steps=recipe.warm_up_steps,
        batch_size=recipe.warm_up_batch,
        learning_rate=recipe.warm_up_rate,
        seed=seed,
        on_step=on_step,
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    model.to(recipe.device)
    found = scores(model, tokenizer, recipe)
    return {"seed": seed, **found, "seconds": time.perf_counter() - started}


class Watch(TrainerCallback):
    """Sums up the games of each rollout, tells how it goes, and stops at the time budget."""

    def __init__(self, recipe: Recipe, games: list[Game], say: Say) -> None:
        self.curve: dict[str, list[float | None]] = {}
        self.rollouts = 0
        self.seconds = 0.0
        self._recipe, self._games, self._say = recipe, games, say
        self._started = time.perf_counter()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Take the games of the newest rollout."""
        if "episode/length" not in logs:  # the end of training
            return
        new = {**summary(self._games, self._recipe.turns), "entropy": logs["entropy"]}
        self._games.clear()
        for name, value in new.items():
            self.curve.setdefault(name, []).append(None if value is None else round(value, 4))
        self.rollouts += 1
        self.seconds = time.perf_counter() - self._started
        last = self._recipe.rollouts
        if self.rollouts % 5 == 0 or self.rollouts == last:
            self._say(
                f"rollout {self.rollouts}/{last}, {new['turns']:.2f} turns, "
                f"success {new['success']:.2f}, malformed {new['malformed']:.2f}, "
                f"entropy {new['entropy']:.2f}, {self.seconds:.0f} s"
            )
        if 0 < self._recipe.budget_s < self.seconds:
            control.should_training_stop = True


def train(recipe: Recipe, seed: int, gamma: float, warm: Path, say: Say) -> dict[str, Any]:
    """Train the warm start in the folder ``warm`` with one discount; return curve and scores."""
    model = LlamaForCausalLM.from_pretrained(warm)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(warm)
    games: list[Game] = []
    watch = Watch(recipe, games, say)
    with TemporaryDirectory() as folder:
        args = ReinforceConfig(
            folder,
            seed=seed,
            use_cpu=recipe.device == "cpu",
            bf16=False,  # on an accelerator too: the same arithmetic everywhere
            history=HISTORY,
            history_kwargs=HISTORY_KWARGS,
            num_envs=recipe.episodes,
            episodes_per_rollout=recipe.episodes,
            num_rollouts=recipe.rollouts,
            num_iterations=recipe.iterations,
            num_mini_batches=recipe.mini_batches,
            logging_steps=recipe.iterations * recipe.mini_batches,  # one entry a rollout
            step_timeout_s=TIMEOUT_S,
            max_completion_length=MAX_REPLY_TOKENS,
            gamma=gamma,
            learning_rate=recipe.learning_rate,
            entropy_coef=recipe.entropy_coef,
            lr_scheduler_type="linear",
            warmup_steps=8,
            per_device_train_batch_size=CHATS_AT_A_TIME,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
        )
        trainer = ReinforceTrainer(
            model,
            args,
            env=lambda: Recorded(make_env(recipe), games),
            processing_class=tokenizer,
            callbacks=[watch],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
        trainer.close()
    return {
        "seed": seed,
        "gamma": gamma,
        "rollouts": watch.rollouts,
        "seconds": watch.seconds,
        **scores(trainer.model, tokenizer, recipe),
        "curve": watch.curve,
    }
