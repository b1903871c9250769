"""QA: a question, a short answer in ``<answer></answer>``, judged by its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from gem_gymnasium.core.errors import UnknownName
from gem_gymnasium.graders import Grade, grade_qa
from gem_gymnasium.graders.qa import METRICS
from gem_gymnasium.tasks.rows import Row
from gem_gymnasium.tasks.table import TableConfig
from gem_gymnasium.tasks.table_task import TableTask


@dataclass(frozen=True, slots=True, kw_only=True)
class QaConfig(TableConfig):
    """What QA adds: an answer may be a list, of which any is right.

    Args:
        metric: ``exact_match`` or ``f1`` (a fraction), as SQuAD defines them.

    Raises:
        UnknownName: There is no such metric.
    """

    answer_format: str = "answer_tag"
    metric: str = "exact_match"

    def __post_init__(self) -> None:
        TableConfig.__post_init__(self)
        if self.metric not in METRICS:
            raise UnknownName("metric", self.metric, METRICS)


class QaEnv(TableTask):
    """Answer one question in a few words.

    ## Action Space
    ``UnicodeText``: any reply; the answer is in its last ``<answer></answer>`` (or as
    ``answer_format`` says).

    ## Observation Space
    ``UnicodeText``: the question, then one sentence on the answer's form; after the reply, whether
    it was right.

    ## Rewards
    1 for an answer that is any of the right ones, 0 for another; with ``metric="f1"`` the best F1
    of the words; -0.1 for a reply without an answer.

    ## Episode End
    Terminated by the reply.

    ## Information
    ``event``: ``right``, ``partial``, ``wrong``; ``malformed``; ``failed``. ``row`` and ``row_id``:
    which row of the unshuffled set; ``score``, ``grade`` (``ok``, ``unparseable``; ``""`` before
    the reply) and ``grade_detail``: the grader's verdict. ``progress`` is the score.
    Reset options: ``index`` and ``row_from_seed``; see
    :class:`~gem_gymnasium.tasks.dataset_task.DatasetTask`.

    ## Arguments
    See :class:`QaConfig` and :class:`~gem_gymnasium.tasks.table.TableConfig`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    The data sets are those of GEM (arXiv 2510.01051); each has its own authors and licence, which
    its page on the hub names.

    ## Version History
    v0: first release.
    """

    config_type = QaConfig
    offline_id = "gem/QA-Sample-v0"

    def grade(self, config: QaConfig, reply: str, row: Row, /) -> Grade:
        """Compare the words with those of each right answer."""
        form, metric = cast("Any", config.answer_format), cast("Any", config.metric)
        return grade_qa(reply, texts_of(row.answer), metric=metric, answer_format=form)

    def guess(self, row: Row, rng: np.random.Generator, /) -> str:
        """Return a word of the question."""
        words = [word for word in row.question.split() if word.isalnum()] or ["yes"]
        return words[int(rng.integers(len(words)))]


def texts_of(answer: Any) -> list[str]:
    """Return one right answer or several as texts."""
    several = cast("tuple[Any, ...]", answer if isinstance(answer, tuple) else (answer,))
    return [str(text) for text in several]
