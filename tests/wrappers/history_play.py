"""Episodes in a History, and what is compared of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from gem_gymnasium import MAX_CHARS, UnicodeText
from gem_gymnasium.wrappers import History

MASTERMIND = "gem/Mastermind-easy-v0"
SUDOKU = "gem/Sudoku-easy-v0"
REPLIES = ("one \\boxed{1 2}", "two \\boxed{3 4}", "three \\boxed{5 5}")

RULES = gym.make(MASTERMIND).reset(seed=0)[0].removesuffix("\nTurns left: 10.")
FEEDBACKS = (
    "1 2: 0 black, 0 white.",
    "3 4: 0 black, 2 white.",
    "5 5 holds a digit twice, which the code does not.",
)
YOU = tuple(f"You: {reply}" for reply in REPLIES)
LEFT = tuple(f"Turns left: {turns}." for turns in (10, 9, 8, 7))


class Parrot(gym.Env[str, str]):
    """Shows the rules and views it is told, and gives every reply back as its feedback."""

    def __init__(
        self,
        rules: str = "rules",
        view: str | None = None,
        later: str | None = None,
        cut: int = MAX_CHARS,
    ) -> None:
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self._rules, self._view, self._cut = rules, view, cut
        self._later = view if later is None else later

    def _answer(self, text: str, view: str | None) -> tuple[str, dict[str, Any]]:
        if view is None:
            return text, {}
        return (f"{text}\n{view}" if text else view), {"view": view}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        return self._answer(self._rules, self._view)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        observation, info = self._answer(action[: self._cut], self._later)
        return observation, 0.0, False, False, info

    def snapshot_state(self) -> dict[str, Any]:
        return {}

    def restore_state(self, data: dict[str, Any]) -> None:
        pass


def played(env: gym.Env[str, str], replies: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return the last observation and info of an episode."""
    observation, info = env.reset(seed=0)
    for reply in replies:
        observation, *_, info = env.step(reply)
    return observation, info


def shown(given: Sequence[str] = REPLIES, **options: Any) -> str:
    """Return what is seen of Mastermind after the replies ``given``."""
    return played(History(gym.make(MASTERMIND), **options), given)[0]


def lines(*parts: str) -> str:
    return "\n".join(parts)


def contents(info: dict[str, Any]) -> list[str]:
    return [message["content"] for message in info["messages"]]


def roles(info: dict[str, Any]) -> list[str]:
    return [message["role"] for message in info["messages"]]
