"""Single-turn tasks: an episode is one row of a data set, the reply is graded, and that is all."""

from gem_gymnasium.tasks.dataset_task import DatasetTask
from gem_gymnasium.tasks.rows import Generated, Listed, Row, Rows

__all__ = ["DatasetTask", "Generated", "Listed", "Row", "Rows"]
