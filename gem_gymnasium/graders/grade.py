"""Grade: what a grader says of a reply."""

from __future__ import annotations

from typing import Literal, NamedTuple

Status = Literal["ok", "unparseable", "timeout", "error"]


class Grade(NamedTuple):
    """What a grader says of a reply.

    Args:
        score: From 0 (wrong) to 1 (right); 0 unless the status is ``ok``.
        status: ``ok``: the reply was judged. ``unparseable``: it holds no answer, or one that no
            grader takes (too long, or made to be costly). ``timeout``: judging the answer took more
            time or memory than it may. Those three are about the reply, so the score counts.
            ``error``: the grader itself failed or was killed, which says nothing about the reply:
            an env makes the step invalid.
        detail: Why, in a few words.
    """

    score: float
    status: Status = "ok"
    detail: str = ""
