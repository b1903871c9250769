"""A policy learns from vLLM's replies what it learns from transformers' own."""

import copy
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import pytest

from gem_gymnasium.wrappers import History
from gem_trl import tiny
from gem_trl.scores import share_interval

SEEDS = (0, 1, 2)
ROLLOUTS, LAST, EPISODES, EVAL_EPISODES = 30, 5, 96, 300
STUDENT = 4.303
"""The two-sided 95 % quantile of Student's t with two degrees of freedom: three seeds."""


class Outcome(NamedTuple):
    """Shares of games won: in evaluations before and after, and in the last rollouts."""

    before: float
    after: float
    sampled: float


def make_env() -> Any:
    """Three numbers in two turns: who takes the middle first and reads the answer always wins."""
    return History(gym.make("gem/GuessTheNumber-v0", high=3, max_turns=2), "messages")


@pytest.fixture(scope="module")
def start() -> tuple[Any, Any]:
    """Return tokenizer and model after the games of a player who mostly does not read.

    He reads often enough for every seed to find out what it is good for.
    """
    chats = list(tiny.play_conversations(make_env, 600, 0.4, seed=1))
    tokenizer = tiny.train_tokenizer([m["content"] for chat in chats[:60] for m in chat], 380)
    model = tiny.build_model(tokenizer, hidden=64, layers=2, heads=2)
    sequences = tiny.encode_conversations(tokenizer, chats)
    tiny.warm_start(model, sequences, steps=200, learning_rate=5e-3)
    return tokenizer, model


def learn(build_trainer: Any, start: tuple[Any, Any], seed: int, **options: Any) -> Outcome:
    trainer = build_trainer(
        model=copy.deepcopy(start[1]),
        processing_class=start[0],
        env=make_env,
        num_envs=EPISODES,
        episodes_per_rollout=EPISODES,
        num_rollouts=ROLLOUTS,
        num_mini_batches=2,
        logging_steps=2,
        learning_rate=1e-3,
        lr_scheduler_type="constant_with_warmup",  # some seeds take longer to start
        warmup_steps=4,
        per_device_train_batch_size=96,
        eval_episodes=EVAL_EPISODES,
        eval_temperature=1.0,
        seed=seed,
        eval_seed=1_000 + seed,  # else the seeds would share their luck, and tell less
        **options,
    )
    before, _, after = trainer.play_evaluation(), trainer.train(), trainer.play_evaluation()
    logged = [log["episode/success"] for log in trainer.state.log_history if "loss" in log]
    assert len(logged) == ROLLOUTS
    trainer.close()
    wins = (float(np.mean([e.success for e in episodes])) for episodes in (before, after))
    return Outcome(*wins, float(np.mean(logged[-LAST:])))


def test_success_lies_within_the_interval_of_the_same_runs_with_transformers(
    build_trainer: Any, start: tuple[Any, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    outcomes: dict[bool, list[Outcome]] = {False: [], True: []}
    for use_vllm, found in outcomes.items():
        for seed in SEEDS:
            found.append(learn(build_trainer, start, seed, use_vllm=use_vllm))
            with capfd.disabled():
                print("vLLM" if use_vllm else "transformers", seed, found[-1])  # noqa: T201
    plain, vllm = outcomes[False], outcomes[True]
    assert all(outcome.after > outcome.before + 0.2 for outcome in (*plain, *vllm))
    games = len(SEEDS) * LAST * EPISODES
    for name, count in (("after", len(SEEDS) * EVAL_EPISODES), ("sampled", games)):
        shares = [getattr(outcome, name) for outcome in plain]
        mean = float(np.mean(shares))
        # The spread of the seeds, and at least that of the games (seeds may all come to 1).
        spread = STUDENT * float(np.std(shares, ddof=1)) / len(SEEDS) ** 0.5
        chance = share_interval(round(mean * count), count)
        low, high = min(mean - spread, chance.low), max(mean + spread, chance.high)
        assert low <= float(np.mean([getattr(outcome, name) for outcome in vllm])) <= high, name
