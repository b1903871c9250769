"""Graders: a reply and what is right -> a Grade. They never execute a reply outside the sandbox."""

from gem_gymnasium.graders.answer import ANSWER_FORMATS, AnswerFormat, find_answer
from gem_gymnasium.graders.grade import Grade, Status
from gem_gymnasium.graders.math import grade_math
from gem_gymnasium.graders.pool import Pool, agrade
from gem_gymnasium.graders.qa import grade_qa

__all__ = [
    "ANSWER_FORMATS",
    "AnswerFormat",
    "Grade",
    "Pool",
    "Status",
    "agrade",
    "find_answer",
    "grade_math",
    "grade_qa",
]
