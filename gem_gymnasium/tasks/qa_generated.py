"""What the offline QA envs share: questions of one or two hops over a set of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gem_gymnasium.core.errors import UnknownName
from gem_gymnasium.graders.qa import METRICS
from gem_gymnasium.tasks.dataset_task import Config
from gem_gymnasium.tasks.rows import Listed, Row, Rows
from gem_gymnasium.tasks.synthetic import need_range


class Asked(NamedTuple):
    """A question, its right answers (the first is the best), and how many texts it takes."""

    kind: str
    question: str
    answers: tuple[str, ...]
    hops: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HopsConfig(Config):
    """Questions that take some number of texts to answer.

    Args:
        min_hops: The least number of texts, 1 or 2.
        max_hops: The greatest.
        metric: ``exact_match`` or ``f1`` (a fraction), as SQuAD defines them.

    Raises:
        ConfigError: There is no such range of hops.
        UnknownName: There is no such metric.
    """

    answer_format: str = "answer_tag"
    min_hops: int = 1
    max_hops: int = 2
    metric: str = "exact_match"

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        need_range("hops", self.min_hops, self.max_hops, 1, 2)
        if self.metric not in METRICS:
            raise UnknownName("metric", self.metric, METRICS)


def rows_of(asked: Sequence[Asked], config: HopsConfig, name: str) -> Rows:
    """Return the questions of a config as rows; an id is kind and number."""
    rows = [
        Row(f"{one.kind}/{at}", one.question, one.answers, gold=one.answers[0])
        for at, one in enumerate(asked)
        if config.min_hops <= one.hops <= config.max_hops
    ]
    return Listed(rows, name=f"{name} {config.min_hops}-{config.max_hops} hops")
