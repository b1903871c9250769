"""ReasoningGym: every data set of the package reasoning-gym, judged by its own scorers."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, cast

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.graders import AnswerFormat, Grade, grade_reasoning
from gem_gymnasium.tasks.dataset_task import Config, DatasetTask
from gem_gymnasium.tasks.reasoning_rows import DEFAULT_LEVEL, ReasoningRows, shared_rows
from gem_gymnasium.tasks.rows import Row

OWN_ARGUMENTS = ("render_mode", "on_malformed", "random")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningConfig(Config):
    """What is told of any data set; the fields of its own config come beside these.

    Args:
        dataset: Its name in reasoning-gym.
        size: Number of rows.
        seed: As reasoning-gym's: near seeds share items.
        split: ``train`` or ``eval``, which never share an item.
        curriculum: The level of every attribute of its curriculum, or -1 for its default settings.
        deadline_s: How long a row of a slow generator is waited for.
    """

    answer_format: str = "answer_tag"
    dataset: str = ""
    size: int = 500
    seed: int = 42
    split: str = "train"
    curriculum: int = DEFAULT_LEVEL
    deadline_s: float = 60.0


class ReasoningEnv(DatasetTask):
    """Solve one puzzle of reasoning-gym.

    ## Action Space
    ``UnicodeText``: any reply; the answer is in its last ``<answer></answer>`` (or as
    ``answer_format`` says).

    ## Observation Space
    ``UnicodeText``: the puzzle, then one sentence on the answer's form; after the reply, whether it
    was right.

    ## Rewards
    What reasoning-gym's scorer of the data set gives, from 0 to 1; many give a small fraction for a
    wrong answer of the right form. -0.1 for a reply without an answer.

    ## Episode End
    Terminated by the reply. A grader that fails makes the step invalid: truncated, with ``stop``
    ``"grader"``.

    ## Information
    ``event``: ``right``, ``partial``, ``wrong``; ``malformed``; ``failed``. ``row``: the row's
    index; ``row_id``: its place among reasoning-gym's items of that seed; ``score``, ``grade``
    (``ok``, ``unparseable``, ``timeout``; ``""`` before the reply) and ``grade_detail``: the
    scorer's verdict. ``progress`` is the score. Reset options: ``index`` and ``row_from_seed``; see
    :class:`~gem_gymnasium.tasks.dataset_task.DatasetTask`.

    ## Arguments
    See :class:`ReasoningConfig`; any field of the data set's own config; and those of
    :class:`~gem_gymnasium.core.text_env.TextEnv`.

    ## References
    reasoning-gym: Stojanovski et al. (arXiv 2505.24760), Apache-2.0. Its generators and scorers
    run as they are.

    ## Version History
    v0: first release.
    """

    config_type = ReasoningConfig

    def __init__(self, *, dataset: str = "", **rules: Any) -> None:
        if not dataset:
            raise ConfigError("dataset must name a data set of reasoning-gym, such as 'gcd'")
        ours = {field.name for field in dataclasses.fields(ReasoningConfig)}
        ours.update(OWN_ARGUMENTS)
        own = {name: value for name, value in rules.items() if name in ours}
        self.settings = {name: value for name, value in rules.items() if name not in ours}
        try:
            super().__init__(dataset=dataset, **own)
        except UnknownName as error:
            if not error.kind.startswith("setting"):
                raise
            raise UnknownName("rule", error.name, {*error.known, *ours} - {"dataset"}) from None
        self.kwargs.update(self.settings)

    def open_rows(self, config: ReasoningConfig, /) -> ReasoningRows:
        """Return the rows, shared by the envs of a process that ask for the same."""
        names = ("size", "seed", "split", "curriculum", "deadline_s")
        arguments = {name: getattr(config, name) for name in names}
        return shared_rows(config.dataset, {**arguments, "settings": self.settings})

    def grade(self, config: ReasoningConfig, reply: str, row: Row, /) -> Grade:
        """Ask the data set's scorer."""
        return grade_reasoning(
            config.dataset,
            reply,
            row.answer,
            config=self.settings,
            answer_format=cast("AnswerFormat", config.answer_format),
        )
