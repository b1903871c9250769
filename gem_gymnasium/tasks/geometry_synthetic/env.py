"""The env over generated geometry problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.tasks.dice import Rng
from gem_gymnasium.tasks.geometry import GeometryEnv
from gem_gymnasium.tasks.geometry_synthetic import SIDE, need_pillow, problem
from gem_gymnasium.tasks.rows import Generated, Row, Rows
from gem_gymnasium.tasks.synthetic import SyntheticConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class GeometrySyntheticConfig(SyntheticConfig):
    """What generated geometry problems can be told.

    Args:
        height: Pixels of the picture; below 448 the figure is scaled down.
        width: Pixels of the picture.

    Raises:
        ConfigError: A side is not in 224..4096: numbers could not be read in a smaller picture.
    """

    height: int = SIDE
    width: int = SIDE

    def __post_init__(self) -> None:
        SyntheticConfig.__post_init__(self)
        for name in ("height", "width"):
            if not 224 <= getattr(self, name) <= 4096:
                raise ConfigError(f"{name} must be in 224..4096, got {getattr(self, name)}")


def draw(rng: Rng) -> Row:
    """Draw a row."""
    made = problem(rng)
    return Row(made.template, made.question, made.answer, (made.image,), gold=made.answer)


class GeometrySyntheticEnv(GeometryEnv):
    r"""Solve one generated geometry problem whose numbers are in a picture.

    ## Action Space
    ``UnicodeText``: any reply; the answer is in its last ``\boxed{}`` (or as ``answer_format``
    says).

    ## Observation Space
    ``Dict``: ``text``, ``UnicodeText``: the question, which names no number, then one sentence on
    the answer's form; after the reply, whether it was right; ``image``, ``Box(0, 255, (height,
    width, 3), uint8)``: a figure drawn to scale. The picture stays after the reply.

    ## Rewards
    1 for an answer of the right value, 0 for another, -0.1 for a reply without an answer.

    ## Episode End
    Terminated by the reply. A grader that fails makes the step invalid: truncated, with ``stop``
    ``"grader"``.

    ## Information
    As in :class:`~gem_gymnasium.tasks.math.MathEnv`; ``row_id`` names the template.

    ## Arguments
    ``height``, ``width``, ``size`` and ``data_seed``: see :class:`GeometrySyntheticConfig`; and
    those of :class:`~gem_gymnasium.tasks.dataset_task.Config` and
    :class:`~gem_gymnasium.core.text_env.TextEnv`. ``render_mode="rgb_array"`` shows the picture.
    The figures are drawn with Pillow.

    ## References
    None: 32 templates of our own on triangles, other polygons and circles. An offline stand-in for
    Geometry3K, and not as varied as it is.

    ## Version History
    v0: first release.
    """

    config_type = GeometrySyntheticConfig

    def open_rows(self, config: Any, /) -> Rows:
        """Return the generator of the problems.

        Raises:
            MissingDependency: Pillow is not installed.
        """
        need_pillow()
        return Generated(draw, size=config.size, seed=config.data_seed)
