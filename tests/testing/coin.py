"""An env that keeps the contract of text envs."""

from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded

from gem_gymnasium.core.spaces import MAX_CHARS, UnicodeText


class CoinEnv(gym.Env[str, str]):
    """A third party's env, on plain gymnasium: call a coin three times."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1, "snapshot": True}  # noqa: RUF012
    events: ClassVar[tuple[str, ...]] = ("right", "wrong")

    def __init__(self, *, render_mode: str | None = None, swap: bool = False) -> None:
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self.render_mode = render_mode
        self.swap = swap
        self.over = True
        self.turn = self.right = 0

    def info(self, event: str, feedback: str, legal: bool = True) -> dict[str, Any]:
        return {
            "event": event, "turn": self.turn, "max_turns": 3, "legal": legal,
            "success": self.right == 3, "progress": self.right / 3, "feedback": feedback,
            "view": f"Turns left: {3 - self.turn}.", "optimal_turns": 3, "valid": True,
            "error": "", "stop": "", "coins": [self.turn],
        }  # fmt: skip

    def text(self, head: str, info: dict[str, Any]) -> str:
        return f"{head}\n{info['view']}"

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        self.over, self.turn, self.right = False, 0, 0
        info = self.info("reset", "")
        return self.text("Call heads or tails.", info), info

    def judge(self, action: str) -> tuple[str, str]:
        coin = "heads" if self.np_random.random() < 0.5 else "tails"
        if len(action) > MAX_CHARS or action.strip() not in ("heads", "tails"):
            return "malformed", "Say heads or tails."
        right = action.strip() == coin
        self.right += right
        return ("right" if right else "wrong"), f"It was {coin}."

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        if self.over:
            raise ResetNeeded("call reset()")
        event, feedback = self.judge(action)
        self.turn += 1
        self.over = self.turn == 3
        info = self.info(event, feedback, event != "malformed")
        return self.text(feedback, info), float(event == "right"), self.over, False, info

    def render(self) -> str:
        return "a coin"

    def sample_legal_action(self, rng: np.random.Generator) -> str:
        return "heads" if rng.random() < 0.5 else "tails"

    def snapshot_state(self) -> dict[str, Any]:
        return {"over": self.over, "turn": self.turn, "right": self.right}

    def restore_state(self, data: dict[str, Any]) -> None:
        self.over, self.turn, self.right = data["over"], data["turn"], data["right"]
