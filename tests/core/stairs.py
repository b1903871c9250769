"""A game of pure functions, and one that misses some."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gem_gymnasium import Outcome, TextEnv
from gem_gymnasium.core.errors import (
    ConfigError,
)
from gem_gymnasium.core.parsing import last_boxed, to_int
from tests.helpers import boxed


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    goal: int = 3
    max_turns: int = 4
    name: str = "steps"
    rate: float = 0.5
    last: bool = False

    def __post_init__(self) -> None:
        if self.goal < 1:
            raise ConfigError(f"goal must be at least 1, got {self.goal}")


class State(NamedTuple):
    start: int
    done: int = 0
    path: tuple[tuple[int, ...], ...] = ()


class StairsEnv(TextEnv[Config, State, int]):
    """Climb ``goal`` steps, one or two at a time, from a start that is drawn."""

    config_type = Config
    state_type = State
    random_configs = (Config(goal=2), Config(goal=5, max_turns=9))
    events = ("up", "slip", "top")
    extra_info: ClassVar[Any] = {"height": int}

    @staticmethod
    def deal(config: Config, rng: np.random.Generator) -> State:
        return State(int(rng.integers(10)))

    @staticmethod
    def rules(config: Config) -> str:
        return f"Climb {config.goal} steps."

    @staticmethod
    def form(config: Config) -> str:
        return "give \\boxed{1} or \\boxed{2}."

    @staticmethod
    def view(config: Config, state: State) -> str:
        return f"Step {state.done}."

    @staticmethod
    def parse(reply: str) -> int | None:
        return to_int(last_boxed(reply))

    @staticmethod
    def write(move: int) -> str:
        return boxed(move)

    @staticmethod
    def play(config: Config, state: State, move: int) -> tuple[State, Outcome]:
        if move not in (1, 2):
            return state, Outcome("slip", "You slip.", legal=False)
        done = min(config.goal, state.done + move)
        state = State(state.start, done, (*state.path, (move, done)))
        if done == config.goal:
            return state, Outcome("top", "You are up.", 0.5, over=True, success=True)
        return state, Outcome("up", f"Up {move}.", 0.25)

    @staticmethod
    def last_turn_reward(config: Config, state: State, move: int) -> float:
        return 0.125 if config.last else 0.0

    @staticmethod
    def legal_move(config: Config, state: State, rng: np.random.Generator) -> int:
        return int(rng.integers(1, 3))

    @staticmethod
    def progress(config: Config, state: State) -> float:
        return state.done / config.goal

    @staticmethod
    def optimal_turns(config: Config, state: State) -> int:
        return -(-config.goal // 2)

    @staticmethod
    def extra(config: Config, state: State) -> dict[str, Any]:
        return {"height": state.start + state.done}


class HalfAGameEnv(TextEnv[Config, State, int]):
    """A game with some of its functions."""

    config_type = Config
    state_type = State
    events = ("up",)
    deal = staticmethod(StairsEnv.deal)
    rules = staticmethod(StairsEnv.rules)
    parse = staticmethod(StairsEnv.parse)
    write = staticmethod(StairsEnv.write)
    legal_move = staticmethod(StairsEnv.legal_move)
