r"""Find the answer in a model's reply: linear time, never an exception.

``ANSWER_FORMATS`` are what a task may ask for; the same word goes to the task's prompt and to its
grader.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from gem_gymnasium.core.errors import UnknownName
from gem_gymnasium.core.parsing import last_boxed, last_tag

AnswerFormat = Literal["boxed", "answer_tag", "none", "any"]
ANSWER_FORMATS: tuple[AnswerFormat, ...] = get_args(AnswerFormat)

_THOUGHT = "</think>"
_BOX = "\\boxed{"
_BRACE = re.compile(r"\\boxed\{|\\[{}\\]|[{}]")
_BETWEEN = re.compile(
    r"(?:[\s$.]|\\q?quad|\\text ?\{ ?|\}|[,;]|and(?![a-z])|or(?![a-z])){1,40}", re.ASCII
)
_JOINT = re.compile(r"[,;]|and|or")


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


def boxes_at_the_end(reply: str) -> list[str]:
    r"""Return what the last box holds, and the boxes before it that belong to the same answer.

    Those are joined to it by a comma, a semicolon, "and" or "or" only: ``\boxed{1}, \boxed{2} and
    \boxed{3}``. Boxes in boxes are one. Empty without a box, or if the last is not closed.
    """
    spans: list[tuple[int, int, str]] = []  # of the outermost boxes: start, end, content
    depth, opened, content = 0, 0, 0
    for match in _BRACE.finditer(reply, reply.find(_BOX) if _BOX in reply else len(reply)):
        token = match[0]
        if depth == 0:
            if token == _BOX:
                depth, opened, content = 1, match.start(), match.end()
        elif token in (_BOX, "{"):
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                spans.append((opened, match.end(), reply[content : match.start()]))
    if depth or not spans:
        return []
    last = len(spans) - 1
    while last > 0:
        between = reply[spans[last - 1][1] : spans[last][0]]
        if not (_BETWEEN.fullmatch(between) and _JOINT.search(between)):
            break
        last -= 1
    return [text.strip() for _, _, text in spans[last:]]
