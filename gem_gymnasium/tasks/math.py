r"""Math: a problem, an answer in ``\boxed{}``, judged by its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from gem_gymnasium.graders import Grade, grade_math
from gem_gymnasium.graders.math import require_math_verify
from gem_gymnasium.tasks.qa import texts_of
from gem_gymnasium.tasks.rows import Row, Rows
from gem_gymnasium.tasks.table import TableConfig
from gem_gymnasium.tasks.table_task import TableTask


@dataclass(frozen=True, slots=True, kw_only=True)
class MathConfig(TableConfig):
    """Columns as in GEM's math data sets; an answer may be a list, of which any is right."""

    question_key: str = "problem"


class MathEnv(TableTask):
    r"""Solve one math problem.

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
    ``event``: ``right``, ``wrong``; ``malformed``; ``failed``. ``row`` and ``row_id``: which row of
    the unshuffled set; ``score``, ``grade`` (``ok``, ``unparseable``, ``timeout``; ``""`` before
    the reply) and ``grade_detail``: the grader's verdict. ``progress`` is the score.
    Reset options: ``index`` and ``row_from_seed``; see
    :class:`~gem_gymnasium.tasks.dataset_task.DatasetTask`.

    ## Arguments
    Where the rows are and how they are posed: see :class:`~gem_gymnasium.tasks.table.TableConfig`;
    and those of :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    The data sets are those of GEM (arXiv 2510.01051); each has its own authors and licence, which
    its page on the hub names.

    ## Version History
    v0: first release.
    """

    config_type = MathConfig
    offline_id = "gem/Math-Synthetic-v0"

    def __init__(self, *, data: str | Rows | None = None, **rules: Any) -> None:
        require_math_verify()  # at once: the first reply would be too late for a training
        super().__init__(data=data, **rules)

    def grade(self, config: MathConfig, reply: str, row: Row, /) -> Grade:
        """Return 1 if the answer has the value of any right one."""
        form = cast("Any", config.answer_format)
        return grade_math(reply, texts_of(row.answer), answer_format=form)

    def guess(self, row: Row, rng: np.random.Generator, /) -> str:
        """Return a small whole number."""
        return str(int(rng.integers(100)))
