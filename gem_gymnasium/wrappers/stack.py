"""What our wrappers ask of the stack below them."""

from __future__ import annotations

from typing import Any, TypeVar

import gymnasium as gym
from gymnasium.wrappers import Autoreset

from gem_gymnasium.core.errors import ConfigError

WrapperT = TypeVar("WrapperT")


def find(env: gym.Env[Any, Any], kind: type[WrapperT]) -> WrapperT | None:
    """Return the outermost wrapper of a kind in a stack, or None."""
    while isinstance(env, gym.Wrapper):
        if isinstance(env, kind):
            return env
        env = env.env
    return None


def refuse_autoreset(env: gym.Env[Any, Any], who: str) -> None:
    """Refuse an env that begins episodes by itself, which a wrapper above it would take for one.

    Args:
        env: Any env.
        who: The wrapper, for the message.

    Raises:
        ConfigError: There is gymnasium's Autoreset in the stack.
    """
    if find(env, Autoreset) is not None:
        raise ConfigError(
            f"{who} must see each reset, and an Autoreset below it hides them: put it outside, "
            f"Autoreset({who}(env, ...))"
        )
