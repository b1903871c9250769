"""An env that fails as it is told to, and a ledger in which it notes what really happened."""

import re
import threading
from collections import Counter
from typing import Any

import gymnasium as gym
import numpy as np

from gem_gymnasium import UnicodeText

INVALID = {
    "hang_step", "hang_reset", "raise_step", "raise_reset", "nan", "inf", "invalid_step",
    "none_observation", "text_reward", "none_info", "short_tuple",
}  # fmt: skip
"""Faults of the machinery: the episode must be masked."""

CONTEXT = {"flood_step", "flood_reset"}
"""100 kB of text: the episode ends there, and what came before trains."""

ESTIMATORS: dict[str, dict[str, Any]] = {
    "rebn": {},
    "reinforce": {},
    "grpo": {"gamma": 1.0, "group_size": 3},
    "dr_grpo": {"gamma": 1.0, "group_size": 3},
    "rloo": {"gamma": 1.0, "group_size": 3},
    "ppo": {},
}
"""Every ``advantage_estimator``, with the options it needs for 12 episodes a rollout."""


class Ledger:
    """What the envs of one run did, by episode: ``(env, number)`` -> its fault and its steps."""

    def __init__(self, *faults: str, share: float = 0.5, reward: float | None = None) -> None:
        self.faults, self.share, self.reward = faults, share, reward
        self.envs = 0
        self.fault_of: dict[tuple[int, int], str] = {}
        self.steps: Counter[tuple[int, int]] = Counter()
        self.release = threading.Event()

    def __call__(self) -> "Faulty":
        """Build an env; the trainer takes the ledger for a callable env."""
        self.envs += 1
        return Faulty(self, self.envs)

    def happened(self, kinds: set[str]) -> int:
        """Return how many episodes met a fault of these kinds."""
        return sum(fault in kinds for fault in self.fault_of.values())

    def trainable(self) -> Counter[str]:
        """Return the first words of every prompt that must train, each once."""
        return Counter(
            f"episode {env} {number} turn {turn}"
            for (env, number), count in self.steps.items()
            if self.fault_of[env, number] not in INVALID
            for turn in range(count)
        )


class Faulty(gym.Env[str, str]):
    """Plays one to four turns; an episode may be told to fail at one of them."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, ledger: Ledger, index: int) -> None:
        self.observation_space = self.action_space = UnicodeText()
        self.ledger, self.index, self.number = ledger, index, -1

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.number += 1
        self.turn = 0
        self.place = self.index, self.number
        rng = np.random.default_rng(self.place)
        self.length = int(rng.integers(1, 5))
        fault = str(rng.choice(self.ledger.faults)) if rng.random() < self.ledger.share else ""
        self.fails_at = 0 if "reset" in fault else int(rng.integers(1, self.length + 1))
        self.fault = fault
        if fault == "flood_step" and self.fails_at == self.length:
            fault = self.fault = ""  # it would end by itself there
        self.ledger.fault_of[self.place] = fault
        self.ledger.steps[self.place] = 0
        if fault == "raise_reset":
            raise OSError("no such level")
        if fault == "hang_reset":
            self.ledger.release.wait(60)
        return self._observation(), {"valid": True}

    def step(self, action: str) -> Any:
        self.ledger.steps[self.place] += 1
        self.turn += 1
        fails = self.fault if self.turn == self.fails_at else ""
        if fails == "raise_step":
            raise RuntimeError("broken")
        if fails == "hang_step":
            self.ledger.release.wait(60)
        if fails == "short_tuple":
            return "over", 1.0
        if fails == "invalid_step":
            return "?", 0.0, False, True, {"valid": False, "stop": "tool", "error": "tool is down"}
        info: Any = None if fails == "none_info" else {"valid": True}
        observation = None if fails == "none_observation" else self._observation()
        rewards = {"nan": float("nan"), "inf": float("inf"), "text_reward": "much"}
        usual = len(action) % 3 if self.ledger.reward is None else self.ledger.reward
        reward: Any = rewards.get(fails, float(usual))
        return observation, reward, self.turn >= self.length, False, info

    def _observation(self) -> str:
        flood = self.fault in CONTEXT and self.turn == self.fails_at
        return f"episode {self.index} {self.number} turn {self.turn}" + "\nx" * 50_000 * flood


def first_words(text: str) -> str:
    """Return which episode and turn a prompt is of."""
    found = re.search(r"episode \d+ \d+ turn \d+", text)
    assert found, text
    return found[0]
