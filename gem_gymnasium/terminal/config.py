"""What an env of terminal tasks can be told."""

from __future__ import annotations

from dataclasses import dataclass

from gem_gymnasium.core.errors import ConfigError, UnknownName
from gem_gymnasium.core.spaces import MAX_CHARS
from gem_gymnasium.terminal.families import ALL, GENERATORS


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellConfig:
    """How the work in a shell is bounded.

    Args:
        max_turns: Replies, the submission included; at the last one the work is checked as it is.
        command_timeout_s: Seconds that a command may take.
        max_output_chars: Characters of a command's output that are shown; the middle of a longer
            one is left out.
        level: The sandbox level; ``""`` for the best for shells that there is.

    Raises:
        ConfigError: A number is refused.
    """

    max_turns: int = 20
    command_timeout_s: float = 10.0
    max_output_chars: int = 4_000
    level: str = ""

    def __post_init__(self) -> None:
        if self.max_turns < 1 or not 0 < self.command_timeout_s < float("inf"):
            raise ConfigError(
                "max_turns must be at least 1 and command_timeout_s positive and finite, got "
                f"{self.max_turns} and {self.command_timeout_s}"
            )
        if not 1 <= self.max_output_chars <= MAX_CHARS // 2:
            raise ConfigError(
                f"max_output_chars must be in 1..{MAX_CHARS // 2}, got {self.max_output_chars}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(ShellConfig):
    """What an env of the package's own tasks can be told.

    Args:
        family: Which tasks: one of the families, or ``all``.
        task: The name of a generator of the family; ``""``: one is drawn at each reset.

    Raises:
        UnknownName: There is no such family or task.
        ConfigError: A number is refused.
    """

    family: str = ALL
    task: str = ""

    def __post_init__(self) -> None:
        ShellConfig.__post_init__(self)  # super() is that of a class without slots
        if self.family != ALL and self.family not in GENERATORS:
            raise UnknownName("family", self.family, [ALL, *GENERATORS])
        families = GENERATORS if self.family == ALL else [self.family]
        names = [name for family in families for name in GENERATORS[family]]
        if self.task and self.task not in names:
            raise UnknownName("task", self.task, names)
