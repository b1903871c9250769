"""What the configs of generated data sets share."""

from __future__ import annotations

from dataclasses import dataclass

from gem_gymnasium.core.errors import ConfigError
from gem_gymnasium.tasks.dataset_task import Config


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticConfig(Config):
    """A data set that is generated row by row.

    Args:
        size: Number of rows.
        data_seed: What tells one data set from another. Rows of two seeds are drawn independently,
            so small problems may come in both.

    Raises:
        ConfigError: The size is below 1, or the seed below 0.
    """

    size: int = 100_000
    data_seed: int = 0

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        if self.size < 1:
            raise ConfigError(f"size must be at least 1, got {self.size}")
        if self.data_seed < 0:
            raise ConfigError(f"data_seed must be at least 0, got {self.data_seed}")


def need_range(name: str, low: int, high: int, least: int, most: int) -> None:
    """Refuse a range of levels or depths that is empty or goes beyond what there is.

    Raises:
        ConfigError: It is, or does.
    """
    if not least <= low <= high <= most:
        raise ConfigError(
            f"need {least} <= min_{name} <= max_{name} <= {most}, "
            f"got min_{name}={low}, max_{name}={high}"
        )
