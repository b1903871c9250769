"""Logic: statements, a question about them, an answer that is one of a few words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gem_gymnasium.tasks.qa import QaConfig, QaEnv
from gem_gymnasium.tasks.rows import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicConfig(QaConfig):
    r"""As for QA, with the answer in ``\boxed{}``."""

    answer_format: str = "boxed"


class LogicEnv(QaEnv):
    r"""Say what follows from statements.

    ## Action Space
    ``UnicodeText``: any reply; the answer is in its last ``\boxed{}`` (or as ``answer_format``
    says). RuleTaker's answers are ``True`` and ``False``.

    ## Observation Space
    ``UnicodeText``: facts, rules and a question, then one sentence on the answer's form; after the
    reply, whether it was right.

    ## Rewards
    1 for the right answer, compared word by word without regard to case, 0 for another, -0.1 for a
    reply without an answer. SynLogic keeps one answer of each row, so where several would do only
    that one counts.

    ## Episode End
    Terminated by the reply.

    ## Information
    ``event``: ``right``, ``wrong`` (with ``metric="f1"`` also ``partial``); ``malformed``;
    ``failed``. ``row`` and ``row_id``: which row of the unshuffled set; ``score``, ``grade``
    (``ok``, ``unparseable``; ``""`` before the reply) and ``grade_detail``: the grader's verdict.
    ``progress`` is the score. Reset options: ``index`` and ``row_from_seed``; see
    :class:`~gem_gymnasium.tasks.dataset_task.DatasetTask`.

    ## Arguments
    See :class:`~gem_gymnasium.tasks.qa.QaConfig` and
    :class:`~gem_gymnasium.tasks.table.TableConfig`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    RuleTaker: Clark et al., "Transformers as Soft Reasoners over Language" (2020), in GEM's
    selection. SynLogic: Liu et al. (arXiv 2505.19641).

    ## Version History
    v0: first release.
    """

    config_type = LogicConfig
    offline_id = "gem/Logic-Rules-v0"

    def guess(self, row: Row, rng: np.random.Generator, /) -> str:
        """Return True or False."""
        return str(bool(rng.integers(2)))
