"""Tasks solved in a shell inside the sandbox, checked from outside."""

from gem_gymnasium.terminal.config import Config
from gem_gymnasium.terminal.env import TerminalEnv
from gem_gymnasium.terminal.families import GENERATORS
from gem_gymnasium.terminal.folder_env import FolderConfig, TaskFolderEnv
from gem_gymnasium.terminal.task import File, Link, Look, Run, Task

__all__ = [
    "GENERATORS",
    "Config",
    "File",
    "FolderConfig",
    "Link",
    "Look",
    "Run",
    "Task",
    "TaskFolderEnv",
    "TerminalEnv",
]
