r"""Math with images: the observation is a text and one picture of fixed size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.spaces import UnicodeText
from gem_gymnasium.tasks.canvas import canvas
from gem_gymnasium.tasks.math import MathConfig, MathEnv
from gem_gymnasium.tasks.rows import Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class GeometryConfig(MathConfig):
    """What images add.

    Args:
        height: Pixels of the picture.
        width: Pixels of the picture.

    Raises:
        ConfigError: A side is not in 16..4096.
    """

    image_key: str = "images"
    height: int = 448
    width: int = 448

    def __post_init__(self) -> None:
        MathConfig.__post_init__(self)
        for name in ("height", "width"):
            if not 16 <= getattr(self, name) <= 4096:
                raise ConfigError(f"{name} must be in 16..4096, got {getattr(self, name)}")


class GeometryEnv(MathEnv):
    r"""Solve one math problem with a picture.

    ## Action Space
    ``UnicodeText``: any reply; the answer is in its last ``\boxed{}`` (or as ``answer_format``
    says).

    ## Observation Space
    ``Dict``: ``text``, ``UnicodeText`` as in :class:`~gem_gymnasium.tasks.math.MathEnv`; ``image``,
    ``Box(0, 255, (height, width, 3), uint8)``: the problem's images, each scaled down to fit, side
    by side, on white. The picture stays after the reply.

    ## Rewards
    1 for an answer of the right value, 0 for another, -0.1 for a reply without an answer.

    ## Episode End
    Terminated by the reply. A grader that fails makes the step invalid: truncated, with ``stop``
    ``"grader"``.

    ## Information
    As in :class:`~gem_gymnasium.tasks.math.MathEnv`.

    ## Arguments
    ``height`` and ``width`` of the picture, ``image_key``; see
    :class:`~gem_gymnasium.tasks.table.TableConfig`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`. ``render_mode="rgb_array"`` shows the picture.

    ## References
    Geometry3K: Lu et al., "Inter-GPS" (2021), in GEM's selection.

    ## Version History
    v0: first release.
    """

    config_type = GeometryConfig
    offline_id = "gem/Geometry-Synthetic-v0"

    def __init__(self, *, data: str | Rows | None = None, **rules: Any) -> None:
        super().__init__(data=data, **rules)
        self._drawn: tuple[int, npt.NDArray[np.uint8]] | None = None
        config = cast("GeometryConfig", self.config)
        shape = config.height, config.width, 3
        self.observation_space = cast(
            "Any",
            gym.spaces.Dict(text=UnicodeText(), image=gym.spaces.Box(0, 255, shape, np.uint8)),
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Pose a row: its text and its picture."""
        text, info = super().reset(seed=seed, options=options)
        return self._pictured(text), info

    def step(self, action: str) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Grade the reply; the picture stays."""
        text, reward, terminated, truncated, info = super().step(action)
        return self._pictured(text), reward, terminated, truncated, info

    def render(self) -> Any:
        """Return the text (``ansi``) or the picture (``rgb_array``), else None."""
        shown = super().render()
        return self._picture() if self.render_mode == "rgb_array" else shown

    def _pictured(self, text: str) -> dict[str, Any]:
        return {"text": text, "image": self._picture()}

    def _picture(self) -> npt.NDArray[np.uint8]:
        state = self._state
        assert state is not None  # an episode has begun
        config = cast("GeometryConfig", self.config)
        if self._drawn is None or self._drawn[0] != state.row:
            sheet = canvas(self.rows.row(state.row).images, config.height, config.width)
            self._drawn = state.row, sheet
        return self._drawn[1].copy()  # an observation is the caller's own
