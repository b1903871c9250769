"""Tasks solved in a shell inside the sandbox, checked from outside."""

from gem_gymnasium.terminal.env import Config, TerminalEnv
from gem_gymnasium.terminal.families import GENERATORS
from gem_gymnasium.terminal.task import File, Link, Look, Run, Task

__all__ = ["GENERATORS", "Config", "File", "Link", "Look", "Run", "Task", "TerminalEnv"]
