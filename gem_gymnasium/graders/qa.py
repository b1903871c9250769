"""Answers to questions: exact match and F1 of words, as SQuAD defines them.

Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text" (2016), section 6.1,
and its evaluation script v1.1: lower case, without punctuation, without the articles, white space
made one; the best of several golds counts.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.graders.answer import AnswerFormat, find_answer
from gem_gymnasium.graders.grade import Grade

Metric = Literal["exact_match", "f1"]
METRICS: tuple[Metric, ...] = get_args(Metric)

MAX_CHARS = 10_000
"""Characters of the longest answer that is compared."""

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def grade_qa(
    reply: str,
    golds: str | Sequence[str],
    *,
    metric: Metric = "exact_match",
    answer_format: AnswerFormat = "any",
) -> Grade:
    """Grade a short answer by its words.

    Args:
        reply: The model's whole reply.
        golds: One right answer or several; the best match counts.
        metric: ``exact_match`` (0 or 1) or ``f1`` (of the words).
        answer_format: Where the answer is; see :func:`find_answer`.

    Raises:
        ConfigError: There is no gold.
        UnknownName: There is no such metric or format.
    """
    if metric not in METRICS:
        raise UnknownName("metric", metric, METRICS)
    golds = [golds] if isinstance(golds, str) else golds
    if not golds:
        raise ConfigError("golds must name at least one right answer")
    answer = find_answer(reply, answer_format)
    if answer is None:
        return Grade(0.0, "unparseable", "no answer")
    if len(answer) > MAX_CHARS:
        return Grade(0.0, "unparseable", f"an answer over {MAX_CHARS} characters")
    exact = max(exact_match(answer, gold) for gold in golds)
    overlap = max(f1(answer, gold) for gold in golds)
    detail = f"exact match {exact:.0f}, F1 {overlap:.2f}"
    return Grade(exact if metric == "exact_match" else overlap, "ok", detail)


def normalized(text: str) -> str:
    """Return text as SQuAD compares it."""
    text = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", text).split())


def exact_match(answer: str, gold: str) -> float:
    """Return 1.0 if both are the same once normalized.

    A gold of which normalizing leaves nothing ("The The", "+") is compared as it stands: else
    every such answer would match it.
    """
    left, right = normalized(answer), normalized(gold)
    if not right:
        left, right = answer.strip().lower(), gold.strip().lower()
    return float(left == right)


def f1(answer: str, gold: str) -> float:
    """Return the harmonic mean of precision and recall of the words, as a bag."""
    left, right = normalized(answer).split(), normalized(gold).split()
    if not left or not right:
        return exact_match(answer, gold)
    common = (Counter(left) & Counter(right)).total()
    return 2 * common / (len(left) + len(right))
