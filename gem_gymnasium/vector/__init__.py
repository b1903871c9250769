"""Vector environments for text: threads with a deadline beside gymnasium's own Sync and Async."""

from gem_gymnasium.vector.make import make_vec
from gem_gymnasium.vector.thread import ThreadVectorEnv

__all__ = ["ThreadVectorEnv", "make_vec"]
