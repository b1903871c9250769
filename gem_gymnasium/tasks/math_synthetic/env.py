"""The env over generated math problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gem_gymnasium.tasks.dice import Rng, between
from gem_gymnasium.tasks.math import MathEnv
from gem_gymnasium.tasks.math_synthetic import LEVELS, problem
from gem_gymnasium.tasks.rows import Generated, Row, Rows
from gem_gymnasium.tasks.synthetic import SyntheticConfig, need_range


@dataclass(frozen=True, slots=True, kw_only=True)
class MathSyntheticConfig(SyntheticConfig):
    """Problems of some levels.

    Args:
        min_level: The easiest level, 1 (one step, small numbers) to 5.
        max_level: The hardest; each level is as likely as any other.

    Raises:
        ConfigError: There is no such range of levels.
    """

    min_level: int = LEVELS[0]
    max_level: int = LEVELS[-1]

    def __post_init__(self) -> None:
        SyntheticConfig.__post_init__(self)
        need_range("level", self.min_level, self.max_level, LEVELS[0], LEVELS[-1])


def draw(rng: Rng, *, min_level: int, max_level: int) -> Row:
    """Draw a row."""
    made = problem(rng, level=between(rng, min_level, max_level))
    id = f"level{made.level}/{made.template}"
    return Row(id, made.question, made.answer, gold=made.answer)


class MathSyntheticEnv(MathEnv):
    r"""Solve one generated math problem.

    ## Action Space
    ``UnicodeText``: any reply; the answer is in its last ``\boxed{}`` (or as ``answer_format``
    says).

    ## Observation Space
    ``UnicodeText``: the problem, then one sentence on the answer's form; after the reply, whether
    it was right.

    ## Rewards
    1 for an answer of the right value, 0 for another, -0.1 for a reply without an answer.

    ## Episode End
    Terminated by the reply. A grader that fails makes the step invalid: truncated, with ``stop``
    ``"grader"``.

    ## Information
    As in :class:`~gem_gymnasium.tasks.math.MathEnv`; ``row_id`` names level and template.

    ## Arguments
    ``min_level``, ``max_level``, ``size`` and ``data_seed``: see :class:`MathSyntheticConfig`; and
    those of :class:`~gem_gymnasium.tasks.dataset_task.Config` and
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    None: 42 templates of our own over arithmetic, algebra, number theory, combinatorics, geometry
    and probability, with exact answers. An offline stand-in for the data sets of GEM's math
    family, and not as varied as they are.

    ## Version History
    v0: first release.
    """

    config_type = MathSyntheticConfig

    def open_rows(self, config: Any, /) -> Rows:
        """Return the generator of the problems."""
        return Generated(
            draw,
            size=config.size,
            seed=config.data_seed,
            min_level=config.min_level,
            max_level=config.max_level,
        )
