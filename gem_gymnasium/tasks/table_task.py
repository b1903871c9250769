"""TableTask: a ``DatasetTask`` whose rows are a table: what the families of hub data sets share."""

from __future__ import annotations

from typing import ClassVar

from gem_gymnasium.tasks.data_sets import fetch_name
from gem_gymnasium.tasks.dataset_task import DatasetTask
from gem_gymnasium.tasks.rows import Rows
from gem_gymnasium.tasks.table import TableConfig, open_table


class TableTask(DatasetTask):
    """A task over a file or a hub data set; a subclass also names its ``offline_id``."""

    offline_id: ClassVar[str]
    """The id of the same family that is recommended where the rows are not at hand."""

    def open_rows(self, config: TableConfig, /) -> Rows:
        """Return the table that the config names.

        Raises:
            ConfigError: It names none, or one that cannot be read.
            DataUnavailable: It is not on this machine.
        """
        return open_table(config, fetch_name(config), self.offline_id)
