"""A TRL trainer with turn-level credit for gymnasium's text environments.

The names below are imported when they are first used: torch and transformers take seconds, and
``gem-trl --help`` needs neither.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from gem_gymnasium import errors

if TYPE_CHECKING:
    from gem_trl.config import ReinforceConfig
    from gem_trl.episode import Episode, Turn
    from gem_trl.trainer import ReinforceTrainer

__all__ = ["Episode", "ReinforceConfig", "ReinforceTrainer", "Turn"]

for _package in ("torch", "transformers", "trl", "accelerate", "datasets"):
    if find_spec(_package) is None:
        raise errors.MissingDependency(_package, "train", "gem_trl")

_HOMES = {
    "Episode": "gem_trl.episode",
    "ReinforceConfig": "gem_trl.config",
    "ReinforceTrainer": "gem_trl.trainer",
    "Turn": "gem_trl.episode",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
