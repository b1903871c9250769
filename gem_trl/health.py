"""What a training's metrics say of its health: which figures are shown, and when to worry.

The limits are rules of thumb, chosen so that trainings that went well never cross them. A figure
beyond its limit is a reason to look, not a verdict.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple


class Figure(NamedTuple):
    """A metric that is shown while a training runs."""

    name: str
    """The metric's name in the logs."""
    label: str
    kind: Literal["number", "share", "count"] = "number"
    low: float = -math.inf
    """The least healthy value."""
    high: float = math.inf
    """The greatest healthy value."""
    advice: str = ""
    """What is wrong beyond a limit, and what to do."""
    quiet: bool = False
    """Left out while healthy, where there is no room for all."""

    def warning(self, value: float) -> str:
        """Return what is wrong with a value, or nothing."""
        if math.isnan(value):
            return "not a number: lower learning_rate, and see the warnings above"
        return "" if self.low <= value <= self.high else self.advice

    def text(self, value: float) -> str:
        """Return the value as it is shown."""
        if not math.isfinite(value):
            return str(value)
        if self.kind == "share":
            return f"{value:.1%}"
        if self.kind == "count":
            return f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"
        return f"{value:.3f}" if value == 0 or 0.001 <= abs(value) < 1000 else f"{value:.2g}"


FIGURES: tuple[Figure, ...] = (
    Figure("episode/return", "return"),
    Figure("episode/success", "success", "share"),
    Figure("episode/length", "turns"),
    Figure(
        "episode/illegal_share",
        "illegal moves",
        "share",
        high=0.5,
        advice="most moves are refused: the model does not know the rules; warm it up",
    ),
    Figure(
        "completions/clipped_ratio",
        "clipped replies",
        "share",
        high=0.1,
        advice="replies are cut off before their end: raise max_completion_length",
    ),
    Figure(
        "completions/unique_ratio",
        "unique replies",
        "share",
        low=0.01,
        advice="nearly all replies are the same: raise temperature or entropy_coef",
    ),
    Figure(
        "entropy",
        "entropy",
        low=0.02,
        advice="hardly explores: fine at the end; before, raise entropy_coef or lower the rate",
    ),
    Figure(
        "episode/truncated",
        "truncated",
        "share",
        high=0.1,
        advice="episodes are cut off, not over: see context stops, max_turns_per_episode",
        quiet=True,
    ),
    Figure(
        "rollout/context_stops",
        "context stops",
        "count",
        high=0,
        advice="prompts outgrow the context: raise max_context_length, or shorten history",
        quiet=True,
    ),
    Figure(
        "rollout/invalid_episodes",
        "invalid episodes",
        "count",
        high=0,
        advice="envs failed, and their episodes were left out: see the warnings above",
        quiet=True,
    ),
    Figure(
        "returns/degenerate",
        "degenerate returns",
        "share",
        high=0,
        advice="all returns are equal, so nothing is learned: an easier env, or a warm start",
        quiet=True,
    ),
    Figure(
        "rollout/dead_groups",
        "dead groups",
        "share",
        high=0.7,
        advice="most groups' returns are all alike: raise group_size, or change the difficulty",
    ),
    Figure(
        "explained_variance",
        "explained variance",
        low=0.0,
        advice="the critic is worse than a constant: early that passes; else lower its rate",
    ),
    Figure(
        "clip_ratio/region_mean",
        "ratios clipped",
        "share",
        high=0.2,
        advice="updates move the policy far: lower learning_rate, or num_iterations",
    ),
    Figure("rollout/stale_rows", "stale rows", "count", quiet=True),
    Figure(
        "approx_kl",
        "KL moved",
        high=0.1,
        advice="the updates of one rollout move far: lower learning_rate or num_iterations",
        quiet=True,
    ),
    Figure(
        "sampling/kl",
        "sampler KL",
        high=0.05,
        advice="the sampler is not the trained policy: check dtype, and that weights are synced",
    ),
    Figure("kl", "KL from the start"),
    Figure("grad_norm", "gradient norm", quiet=True),
    Figure(
        "nonfinite_rows",
        "non-finite rows",
        "count",
        high=0,
        advice="rows with NaN were left out of the loss: lower learning_rate; check dtype",
        quiet=True,
    ),
    Figure(
        "skipped_steps",
        "skipped steps",
        "share",
        high=0,
        advice="gradients were NaN, and the weights stayed: lower learning_rate; check dtype",
        quiet=True,
    ),
)
"""The rows of the live panel, in order. A metric that is not logged has no row."""

PHASES = ("generate", "env", "train")
"""What a rollout and its updates spend their time on."""
