"""What our wrappers ask of the stack below them."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.wrappers import Autoreset

from gem_gymnasium.core.errors import ConfigError


def refuse_autoreset(env: gym.Env[Any, Any], who: str) -> None:
    """Refuse an env that begins episodes by itself, which a wrapper above it would take for one.

    Args:
        env: Any env.
        who: The wrapper, for the message.

    Raises:
        ConfigError: There is gymnasium's Autoreset in the stack.
    """
    layer: Any = env
    while isinstance(layer, gym.Wrapper):
        if isinstance(layer, Autoreset):
            raise ConfigError(
                f"{who} must see each reset, and an Autoreset below it hides them: put it outside, "
                f"Autoreset({who}(env, ...))"
            )
        layer = layer.env  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
