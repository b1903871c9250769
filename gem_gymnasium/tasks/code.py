"""Code: a problem, a program in a Markdown code block, judged by running it on tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.core.parsing import last_fenced
from gem_gymnasium.graders import Grade, grade_code, longest, read_tests
from gem_gymnasium.tasks.dataset_task import Config
from gem_gymnasium.tasks.rows import Row
from gem_gymnasium.tasks.table import TableConfig, from_json
from gem_gymnasium.tasks.table_task import TableTask


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeConfig(TableConfig):
    """What code adds; the answer's column holds the tests.

    Args:
        partial: Pay the fraction of tests that pass, not 0 unless all do.
        max_tests: The tests that are run: those with the longest inputs, as in GEM.

    Raises:
        ConfigError: ``max_tests`` is below 1.
    """

    forms: ClassVar[tuple[str, ...]] = ("code",)
    answer_is_gold: ClassVar[bool] = False

    question_key: str = "problem"
    answer_key: str = "tests"
    answer_format: str = "code"
    partial: bool = False
    max_tests: int = 12

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        if self.max_tests < 1:
            raise ConfigError(f"max_tests must be at least 1, got {self.max_tests}")


class CodeEnv(TableTask):
    """Write one program.

    ## Action Space
    ``UnicodeText``: any reply; the program is its last closed Markdown code block.

    ## Observation Space
    ``UnicodeText``: the problem, then one sentence on the answer's form; after the reply, whether
    the program is right.

    ## Rewards
    1 for a program that passes every test, 0 for another (with ``partial`` the fraction of tests
    it passes), -0.1 for a reply without a code block.

    ## Episode End
    Terminated by the reply. A grader that fails makes the step invalid: truncated, with ``stop``
    ``"grader"``.

    ## Information
    ``event``: ``right``, ``partial``, ``wrong``; ``malformed``; ``failed``. ``row`` and ``row_id``:
    which row of the unshuffled set; ``score``, ``grade`` (``ok``, ``unparseable``, ``timeout``;
    ``""`` before the reply) and ``grade_detail``: the grader's verdict. ``progress`` is the score.
    Reset options: ``index`` and ``row_from_seed``; see
    :class:`~gem_gymnasium.tasks.dataset_task.DatasetTask`.

    ## Arguments
    See :class:`CodeConfig` and :class:`~gem_gymnasium.tasks.table.TableConfig`; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`. Programs run in ``gem_gymnasium.sandbox``.

    ## References
    The data sets are those of GEM (arXiv 2510.01051); each has its own authors and licence, which
    its page on the hub names.

    ## Version History
    v0: first release.
    """

    config_type = CodeConfig
    offline_id = "gem/Code-Synthetic-v0"

    def find(self, config: CodeConfig, reply: str, /) -> str | None:
        """Return the last code block, or None if there is none or nothing in it."""
        program = last_fenced(reply)
        return program if program and program.strip() else None

    def grade(self, config: CodeConfig, reply: str, row: Row, /) -> Grade:
        """Run the program on the tests."""
        tests = longest(read_tests(tests_of(row.answer)), config.max_tests)
        return grade_code(reply, tests, partial=config.partial)

    def guess(self, row: Row, rng: np.random.Generator, /) -> str:
        """Return a program that prints a small whole number."""
        return f"print({int(rng.integers(100))})"


def tests_of(answer: Any) -> Any:
    """Return tests, which many data sets hold as JSON text, as data."""
    return from_json(answer, "tests") if isinstance(answer, str) else answer
