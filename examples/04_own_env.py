"""A new env in four steps: config, state and pure functions; the env class; a check; training."""

import sys
from dataclasses import dataclass
from typing import NamedTuple

import gymnasium as gym
import numpy as np

from gem_gymnasium import Outcome, TextEnv, errors, parsing
from gem_gymnasium.testing import check_text_env
from gem_trl import ReinforceConfig, ReinforceTrainer, tiny


# 1. The rules: a config, a state, and pure functions of the two.
@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Say which of two numbers is larger, ``max_turns`` times."""

    largest: int = 9
    max_turns: int = 3

    def __post_init__(self) -> None:
        if self.largest < 1 or self.max_turns < 1:
            raise errors.ConfigError(f"largest and max_turns must be at least 1, got {self}")


class State(NamedTuple):
    """The pairs to compare, and how many were answered."""

    pairs: tuple[tuple[int, int], ...]
    answered: int = 0


def deal(config: Config, rng: np.random.Generator) -> State:
    """Draw pairs of different numbers."""
    pairs = [
        tuple(int(n) for n in rng.choice(config.largest + 1, 2, replace=False))
        for _ in range(config.max_turns)
    ]
    return State(tuple(pairs))


def form(config: Config) -> str:
    """Return the form of an action."""
    return "give the larger number as \\boxed{number}."


def rules(config: Config) -> str:
    """Return the text that opens the episode."""
    return f"Name the larger of two numbers, {config.max_turns} times.\nEach turn, {form(config)}"


def view(config: Config, state: State) -> str:
    """Return the pair to compare."""
    if state.answered == len(state.pairs):
        return ""
    return "{} or {}?".format(*state.pairs[state.answered])


def parse(reply: str) -> int | None:
    """Return the number in the last box."""
    return parsing.to_int(parsing.last_boxed(reply))


def write(move: int) -> str:
    """Return the reply that names a number."""
    return f"\\boxed{{{move}}}"


def play(config: Config, state: State, move: int) -> tuple[State, Outcome]:
    """Judge one answer."""
    pair = state.pairs[state.answered]
    if move not in pair:
        return state, Outcome("neither", f"{move} is neither of the two.", legal=False)
    after = State(state.pairs, state.answered + 1)
    if move != max(pair):
        return after, Outcome("wrong", f"{move} is smaller: you lose.", over=True)
    won = after.answered == len(state.pairs)
    reward = 1.0 / len(state.pairs)
    return after, Outcome("right", f"{move} is larger.", reward, over=won, success=won)


def legal_move(config: Config, state: State, rng: np.random.Generator) -> int:
    """Draw one of the two numbers."""
    return state.pairs[state.answered][int(rng.integers(2))]


def progress(config: Config, state: State) -> float:
    """Return the share of pairs that were answered."""
    return state.answered / len(state.pairs)


# 2. The env class: a table of the functions above.
class LargerEnv(TextEnv[Config, State, int]):
    """Name the larger of two numbers."""

    config_type = Config
    state_type = State
    events = ("right", "wrong", "neither")
    deal = staticmethod(deal)
    rules = staticmethod(rules)
    form = staticmethod(form)
    view = staticmethod(view)
    parse = staticmethod(parse)
    write = staticmethod(write)
    play = staticmethod(play)
    legal_move = staticmethod(legal_move)
    progress = staticmethod(progress)


gym.register("example/Larger-v0", entry_point=LargerEnv)


def main(output: str = "runs/own_env") -> None:
    """Check the env and train a tiny model on it."""
    # 3. The check: says what is wrong, and how to mend it.
    check_text_env(lambda: gym.make("example/Larger-v0"))
    print("check_text_env: passed")

    # 4. Training: the env has no solver, so the warm start imitates random legal play.
    def make() -> gym.Env:
        return gym.make("example/Larger-v0")

    chats = list(tiny.play_conversations(make, 300, skill=0.0, seed=0))
    tokenizer = tiny.train_tokenizer([message["content"] for chat in chats for message in chat])
    model = tiny.build_model(tokenizer, hidden=48, layers=1)
    sequences = tiny.encode_conversations(tokenizer, chats)
    tiny.warm_start(model, sequences, steps=60, batch_size=16, learning_rate=2e-2)
    args = ReinforceConfig(
        output,
        num_rollouts=2,
        episodes_per_rollout=32,
        history="none",
        max_completion_length=16,
        learning_rate=1e-3,
        report_to="none",
        save_strategy="no",
    )
    trainer = ReinforceTrainer(model, args, env="example/Larger-v0", processing_class=tokenizer)
    trainer.train()
    print(trainer.evaluate())
    trainer.close()


if __name__ == "__main__":
    main(*sys.argv[1:2])
