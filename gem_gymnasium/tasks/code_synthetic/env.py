"""The env over generated programming problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.tasks.code import CodeEnv
from gem_gymnasium.tasks.code_synthetic import TESTS, problem
from gem_gymnasium.tasks.dice import Rng
from gem_gymnasium.tasks.rows import Generated, Row, Rows
from gem_gymnasium.tasks.synthetic import SyntheticConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSyntheticConfig(SyntheticConfig):
    """What generated programming problems can be told.

    Args:
        partial: Pay the fraction of tests that pass, not 0 unless all do.
        max_tests: The tests that are run: those with the longest inputs.

    Raises:
        ConfigError: ``max_tests`` is below 1.
    """

    forms: ClassVar[tuple[str, ...]] = ("code",)

    answer_format: str = "code"
    partial: bool = False
    max_tests: int = TESTS

    def __post_init__(self) -> None:
        SyntheticConfig.__post_init__(self)
        if self.max_tests < 1:
            raise ConfigError(f"max_tests must be at least 1, got {self.max_tests}")


def draw(rng: Rng) -> Row:
    """Draw a row."""
    made = problem(rng)
    tests = {"inputs": [*made.inputs], "outputs": [*made.outputs]}
    return Row(made.family, made.question, tests, gold=made.program)


class CodeSyntheticEnv(CodeEnv):
    """Write one program for a generated problem.

    ## Action Space
    ``UnicodeText``: any reply; the program is its last closed Markdown code block.

    ## Observation Space
    ``UnicodeText``: the problem with two examples, then one sentence on the answer's form; after
    the reply, whether the program is right.

    ## Rewards
    1 for a program that passes every hidden test, 0 for another (with ``partial`` the fraction of
    tests it passes), -0.1 for a reply without a code block. At most half of a problem's tests have
    the same output.

    ## Episode End
    Terminated by the reply. A grader that fails makes the step invalid: truncated, with ``stop``
    ``"grader"``.

    ## Information
    As in :class:`~gem_gymnasium.tasks.code.CodeEnv`; ``row_id`` names the family of the problem.

    ## Arguments
    ``partial``, ``max_tests``, ``size`` and ``data_seed``: see :class:`CodeSyntheticConfig`; and
    those of :class:`~gem_gymnasium.tasks.dataset_task.Config` and
    :class:`~gem_gymnasium.core.text_env.TextEnv`. Programs run in ``gem_gymnasium.sandbox``.

    ## References
    None: 39 families of our own on text, lists, grids, whole numbers and step-by-step rules, each
    with settings of its own. An offline stand-in for the data sets of GEM's code family, and easier
    than contests.

    ## Version History
    v0: first release.
    """

    config_type = CodeSyntheticConfig

    def open_rows(self, config: Any, /) -> Rows:
        """Return the generator of the problems."""
        return Generated(draw, size=config.size, seed=config.data_seed)
