"""A TRL trainer with turn-level credit for gymnasium's text environments."""

from gem_trl.config import ReinforceConfig
from gem_trl.episode import Episode, Turn
from gem_trl.trainer import ReinforceTrainer

__all__ = ["Episode", "ReinforceConfig", "ReinforceTrainer", "Turn"]
