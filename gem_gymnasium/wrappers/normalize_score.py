"""NormalizeScore: place the return between a random legal player (0) and the solver (1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar, cast

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs
from gymnasium.wrappers import NormalizeReward

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.data import load_json
from gem_gymnasium.wrappers.stack import refuse_autoreset
from gem_gymnasium.wrappers.tool_use import ToolUse

CALIBRATE = "python benchmarks/calibrate.py --ids {id}"
"""The command that measures the scale of an id."""

NEUTRAL_KWARGS = ("render_mode", "on_malformed")
"""Arguments of an env that change neither player's return: neither ever sends a malformed reply."""

ObsT = TypeVar("ObsT")
ActT = TypeVar("ActT")


class Scale(NamedTuple):
    """The returns that score 0 and 1."""

    zero: float
    one: float


def find_scale(env: gym.Env[Any, Any]) -> Scale:
    """Return the scale of a made env.

    Raises:
        ConfigError: Its id was not calibrated, it has none, or other rules than were calibrated.
    """
    spec = env.spec
    if spec is None:
        raise ConfigError(
            f"{env} has no id, and scores are calibrated by id: make it with gymnasium.make"
        )
    games: Mapping[str, Any] = load_json("calibration.json")["games"]
    if spec.id not in games:
        raise ConfigError(
            f"{spec.id} was not calibrated (`gem-gym list` shows which ids were; a task needs no "
            "scale, its rewards lie between 0 and 1). To calibrate an id that has a solver, run: "
            f"{CALIBRATE.format(id=spec.id)}"
        )
    game = games[spec.id]
    kwargs = {name: value for name, value in spec.kwargs.items() if name not in NEUTRAL_KWARGS}
    if kwargs != game["kwargs"]:
        raise ConfigError(
            f"{spec.id} was calibrated with {game['kwargs']}, not with {kwargs}: take the id's own "
            "rules, or register yours under an id of its own and run: "
            f"{CALIBRATE.format(id='<id>')}"
        )
    random, solver = float(game["random"]["return"]), float(game["solver"]["return"])
    return Scale(random if random < solver else 0.0, solver)


def check_rewards(env: gym.Env[Any, Any]) -> None:
    """Refuse a stack whose rewards are no longer the game's, which alone the scale is of.

    Raises:
        ConfigError: A wrapper changes rewards.
    """
    layer: Any = env
    while isinstance(layer, gym.Wrapper):
        name = layer.class_name()
        pays = isinstance(layer, ToolUse) and any(
            (layer.call_reward, layer.success_reward, layer.error_reward)
        )
        if pays or isinstance(layer, gym.RewardWrapper | NormalizeReward):
            raise ConfigError(
                f"NormalizeScore reads the game's own rewards, and {name} below it changes them: "
                f"put NormalizeScore inside, {name}(NormalizeScore(env), ...)"
            )
        layer = cast("Any", layer).env


class NormalizeScore(gym.Wrapper[ObsT, ActT, ObsT, ActT], RecordConstructorArgs):
    """Add the float ``info["normalized_score"]`` after every reset and step; rewards stay.

    It is ``(return so far - random) / (solver - random)``, with the mean returns of a random legal
    player and of the solver from the package's ``data/calibration.json`` (of a ``-vs-`` id: of the
    best player of ours in that seat). A single episode may lie below 0 or above 1; at reset it is
    what a player who scores nothing has. Where random legal
    moves always win (``gem/GuessTheNumber-v0``: 20 turns for 20 numbers) there is no such scale,
    and the score is the return as a share of the solver's.

    Args:
        env: An env made from a calibrated id, with the id's own rules.

    Raises:
        ConfigError: The id was not calibrated, the env has no id, or other rules than those that
            were calibrated; the message says what to run. A wrapper below changes rewards, or is an
            Autoreset.
    """

    def __init__(self, env: gym.Env[ObsT, ActT]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        check_rewards(env)
        refuse_autoreset(env, "NormalizeScore")
        self._scale = find_scale(env)
        self._return = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ObsT, dict[str, Any]]:
        """Start an episode, with a return of 0."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._return = 0.0
        return observation, self._scored(info)

    def step(self, action: ActT) -> tuple[ObsT, float, bool, bool, dict[str, Any]]:
        """Step the env and add the reward to the return."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._return += float(reward)
        return observation, float(reward), terminated, truncated, self._scored(info)

    def _scored(self, info: dict[str, Any]) -> dict[str, Any]:
        zero, one = self._scale
        return {**info, "normalized_score": (self._return - zero) / (one - zero)}

    def snapshot_state(self) -> dict[str, Any]:
        """Return the return so far (see :func:`gem_gymnasium.snapshot`)."""
        return {"return": self._return}

    def restore_state(self, data: dict[str, Any]) -> None:
        """Take up the return that ``snapshot_state`` gave."""
        self._return = float(data["return"])
