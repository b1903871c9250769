"""Graders: a reply and what is right -> a Grade. They never execute a reply outside the sandbox."""

from gem_gymnasium.graders.answer import ANSWER_FORMATS, AnswerFormat, find_answer
from gem_gymnasium.graders.code import COMMON_IMPORTS, MAX_TOTAL_S, grade_code
from gem_gymnasium.graders.code_check import record_calls
from gem_gymnasium.graders.code_tests import Test, Tests, longest, read_tests
from gem_gymnasium.graders.grade import Grade, Status
from gem_gymnasium.graders.math import grade_math
from gem_gymnasium.graders.pool import Pool, agrade
from gem_gymnasium.graders.qa import grade_qa
from gem_gymnasium.graders.reasoning import grade_reasoning

__all__ = [
    "ANSWER_FORMATS",
    "COMMON_IMPORTS",
    "MAX_TOTAL_S",
    "AnswerFormat",
    "Grade",
    "Pool",
    "Status",
    "Test",
    "Tests",
    "agrade",
    "find_answer",
    "grade_code",
    "grade_math",
    "grade_qa",
    "grade_reasoning",
    "longest",
    "read_tests",
    "record_calls",
]
