"""Trainers of few and short games."""

from typing import Any

KUHN = "gem/KuhnPoker-v0"


def small(build_trainer: Any, model: Any, **options: Any) -> Any:
    defaults: dict[str, Any] = {
        "env": KUHN, "history": "none", "rebn_scope": "role", "model": model, "num_envs": 4,
        "episodes_per_rollout": 4, "num_rollouts": 4, "max_completion_length": 8,
    }  # fmt: skip
    return build_trainer(**{**defaults, **options})
