"""GEM's tasks as gymnasium environments.

Importing this package registers every id (a table of strings; nothing heavy is imported)::

    import gymnasium
    import gem_gymnasium

    env = gymnasium.make("gem/GuessTheNumber-v0")

Code that only takes an id writes ``gymnasium.make("gem_gymnasium:gem/GuessTheNumber-v0")``.
"""

from gem_gymnasium import registry
from gem_gymnasium.core import errors, parsing
from gem_gymnasium.core.snapshot import branch, restore, snapshot
from gem_gymnasium.core.spaces import MAX_CHARS, UnicodeText
from gem_gymnasium.core.text_env import Outcome, TextEnv
from gem_gymnasium.vector import ThreadVectorEnv, make_vec

__version__ = "0.1.0"
__all__ = [
    "MAX_CHARS",
    "Outcome",
    "TextEnv",
    "ThreadVectorEnv",
    "UnicodeText",
    "branch",
    "errors",
    "make_vec",
    "parsing",
    "registry",
    "restore",
    "snapshot",
]

registry.register()
