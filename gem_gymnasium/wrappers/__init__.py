"""Wrappers for text environments, one a file."""

from gem_gymnasium.wrappers.history import History

__all__ = ["History"]
