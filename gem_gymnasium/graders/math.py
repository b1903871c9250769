r"""Answers to math problems: exact comparison first, then ``math-verify`` in a worker.

A reply is judged in four steps, each cheaper than the next: find the answer, compare it exactly
(``math_exact.py``: most answers end here), refuse what is made to be costly (``math_gate.py``), and
let ``math-verify`` compare what takes algebra, in the sandbox (``pool.py``, ``math_work.py``).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib.util import find_spec

from gem_gymnasium.core.errors import ConfigError, MissingDependency
from gem_gymnasium.core.parsing import last_boxed, replace_surrogates
from gem_gymnasium.graders.answer import AnswerFormat, boxes_at_the_end, find_answer
from gem_gymnasium.graders.grade import Grade
from gem_gymnasium.graders.math_exact import named_value, same_answer
from gem_gymnasium.graders.math_gate import too_costly
from gem_gymnasium.graders.math_text import after_lead_in, as_latex
from gem_gymnasium.graders.pool import Pool, Work, shared_pool

MAX_CHARS = 10_000
"""Characters of the longest answer that is compared at all."""

TIME_S = 5.0
"""Seconds that math-verify may take for one answer."""

WORK = Work(
    files=("math_work.py",),
    packages=("math_verify", "latex2sympy2_extended", "antlr4"),
    warm=("sympy", "math_verify"),
    warm_up="warm_up()",
)


def grade_math(
    reply: str,
    reference: str | float | Sequence[str | float],
    *,
    answer_format: AnswerFormat = "any",
    time_s: float = TIME_S,
    pool: Pool | None = None,
) -> Grade:
    r"""Grade the answer to a math problem.

    **Covered**: LaTeX, Unicode and plain spellings; numbers as fractions, decimals, mixed, in
    scientific notation, with thousands separators, percent signs, currencies and units;
    tuples, intervals, lists and sets (in any order), matrices; expressions, equations and
    inequalities; words and letters of a choice. See docs/graders.md for what counts as equal.

    **Not covered**: proofs; an answer without a box or tag in the middle of a text.

    Args:
        reply: The model's whole reply.
        reference: The right answer, or several of which any counts; a ``\boxed{}`` around one is
            taken off.
        answer_format: Where the answer is; see :func:`find_answer`.
        time_s: Seconds that ``math-verify`` may take.
        pool: The workers to use; None for those that all envs of the process share.

    Raises:
        ConfigError: There is no reference.
        MissingDependency: ``math-verify`` is not installed.
        SandboxUnavailable: Nothing on this machine isolates a worker.
        UnknownName: There is no such format.
    """
    require_math_verify()
    references = _references(reference)
    answer = _answer(reply, answer_format)
    if answer is None:
        return Grade(0.0, "unparseable", "no answer")
    if len(answer) > MAX_CHARS:
        return Grade(0.0, "unparseable", f"an answer over {MAX_CHARS} characters")
    answer = replace_surrogates(after_lead_in(answer))
    undecided: list[str] = []
    for right in references:
        same = same_answer(answer, right)
        if same:
            return Grade(1.0, "ok", "equal")
        if same is None:
            undecided.append(right)
    if not undecided:
        return Grade(0.0, "ok", "not equal")
    if why := too_costly(answer):
        return Grade(0.0, "unparseable", why)
    answers = [as_latex(answer)]
    if (value := named_value(answer)) and not any(map(named_value, undecided)):
        answers.append(as_latex(value))
    request = {"answers": answers, "references": [as_latex(right) for right in undecided]}
    return (pool or shared_pool(WORK)).grade(request, time_s=time_s)


def _answer(reply: str, answer_format: AnswerFormat) -> str | None:
    """Return the answer; several boxes at the end that belong together are one list."""
    answer = find_answer(reply, answer_format)
    if answer is not None and answer_format in ("boxed", "any"):
        boxes = list(dict.fromkeys(boxes_at_the_end(reply)))
        if len(boxes) > 1:
            return ", ".join(boxes)
    return answer


def _references(reference: str | float | Sequence[str | float]) -> list[str]:
    """Return the right answers as texts, without boxes."""
    several = [reference] if isinstance(reference, str | int | float) else reference
    texts = [str(each).strip() for each in several]
    texts = [(last_boxed(text) or text) if "\\boxed{" in text else text for text in texts]
    if not texts or not all(texts):
        raise ConfigError("reference must name at least one right answer, and none that is empty")
    return texts


@functools.cache
def require_math_verify() -> None:
    """Find out at once whether answers can be graded.

    Raises:
        MissingDependency: ``math-verify`` is not installed.
    """
    if find_spec("math_verify") is None:
        raise MissingDependency("math-verify", "tasks", "grading math answers")
