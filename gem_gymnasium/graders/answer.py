r"""Find the answer in a model's reply: linear time, never an exception.

``ANSWER_FORMATS`` are what a task may ask for; the same word goes to the task's prompt and to its
grader.
"""

from __future__ import annotations

from typing import Literal, get_args

from gem_gymnasium.core.errors import UnknownName
from gem_gymnasium.core.parsing import last_boxed, last_tag

AnswerFormat = Literal["boxed", "answer_tag", "none", "any"]
ANSWER_FORMATS: tuple[AnswerFormat, ...] = get_args(AnswerFormat)

_THOUGHT = "</think>"


def find_answer(reply: str, answer_format: AnswerFormat = "any") -> str | None:
    r"""Return the answer that a reply gives, stripped, or None.

    Args:
        reply: The model's whole reply.
        answer_format: ``boxed``: in the last ``\boxed{}``. ``answer_tag``: in the last
            ``<answer></answer>``, and in a box in there if there is one. ``none``: all that comes
            after the last ``</think>`` (without one, the whole reply). ``any``: the first of these
            that is there; a box that is never closed is an unfinished answer, so None.

    Raises:
        UnknownName: There is no such format.
    """
    if answer_format not in ANSWER_FORMATS:
        raise UnknownName("answer format", answer_format, ANSWER_FORMATS)
    if answer_format in ("boxed", "any") and "\\boxed{" in reply:
        answer = last_boxed(reply)
    elif answer_format == "boxed":
        answer = None
    elif (tagged := last_tag(reply, "answer")) is not None and answer_format != "none":
        answer = last_boxed(tagged) if "\\boxed{" in tagged else tagged
    elif answer_format == "answer_tag":
        answer = None
    else:
        answer = reply.rpartition(_THOUGHT)[2]
    return (answer or "").strip() or None
