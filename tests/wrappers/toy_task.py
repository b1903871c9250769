"""Sums: a task of one turn for tests, and what is played in it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from gem_gymnasium import Outcome, TextEnv, parsing
from gem_gymnasium.wrappers import ToolUse
from tests.tools.echoes import Add, Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Add two numbers."""

    max_turns: int = 1


class State(NamedTuple):
    """The numbers."""

    a: int
    b: int


class SumEnv(TextEnv[Config, State, int]):
    """Add two numbers, in one turn (or more, of which the first right one wins)."""

    config_type = Config
    state_type = State
    events = ("right", "wrong")

    @staticmethod
    def deal(config: Config, rng: np.random.Generator, /) -> State:
        return State(*(int(number) for number in rng.integers(1_000, 10_000, size=2)))

    @staticmethod
    def rules(config: Config, /) -> str:
        return "Add two numbers. Put the sum into \\boxed{}."

    @staticmethod
    def form(config: Config, /) -> str:
        return "give the sum as \\boxed{number}."

    @staticmethod
    def view(config: Config, state: State, /) -> str:
        return f"{state.a} + {state.b} = ?"

    @staticmethod
    def parse(reply: str, /) -> int | None:
        return parsing.to_int(parsing.last_boxed(reply))

    @staticmethod
    def write(move: int, /) -> str:
        return f"\\boxed{{{move}}}"

    @staticmethod
    def play(config: Config, state: State, move: int, /) -> tuple[State, Outcome]:
        if move != state.a + state.b:
            return state, Outcome("wrong", f"{move} is wrong.")
        return state, Outcome("right", f"{move} is right.", 1.0, over=True, success=True)

    @staticmethod
    def legal_move(config: Config, state: State, rng: np.random.Generator, /) -> int:
        return int(rng.integers(20_000))

    @staticmethod
    def progress(config: Config, state: State, /) -> float:
        return 0.0


def answer(env: gym.Env[Any, Any], off: int = 0) -> str:
    """Return the right answer of the present episode, or one that is off."""
    state: Any = env.unwrapped._state  # type: ignore[attr-defined]
    return f"\\boxed{{{state.a + state.b + off}}}"


def make(*tools: Any, max_turns: int = 1, **options: Any) -> ToolUse:
    """Return the task with tools, two toys unless told otherwise."""
    return ToolUse(SumEnv(max_turns=max_turns), list(tools) or [Add(), Look()], **options)


def started(env: ToolUse) -> ToolUse:
    """Return the env in its first episode."""
    env.reset(seed=0)
    return env
