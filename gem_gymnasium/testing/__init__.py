"""The conformance suite for text environments, public: use it on your own."""

from gem_gymnasium.core.errors import ConformanceError
from gem_gymnasium.testing.check_text_aec import check_text_aec
from gem_gymnasium.testing.check_text_env import CHECKS, check_text_env
from gem_gymnasium.testing.hostile import HOSTILE_STRINGS, hostile_strings

__all__ = [
    "CHECKS",
    "HOSTILE_STRINGS",
    "ConformanceError",
    "check_text_aec",
    "check_text_env",
    "hostile_strings",
]
