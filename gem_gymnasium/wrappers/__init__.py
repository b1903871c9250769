"""Wrappers for text environments, one a file."""

from gem_gymnasium.wrappers.history import History
from gem_gymnasium.wrappers.normalize_score import NormalizeScore

__all__ = ["History", "NormalizeScore"]
