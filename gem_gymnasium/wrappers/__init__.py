"""Wrappers for text environments, one a file."""

from gem_gymnasium.wrappers.history import History
from gem_gymnasium.wrappers.normalize_score import NormalizeScore
from gem_gymnasium.wrappers.tool_use import ToolUse

__all__ = ["History", "NormalizeScore", "ToolUse"]
