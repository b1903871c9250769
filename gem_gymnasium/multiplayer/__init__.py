"""Games of several players as PettingZoo envs.

Importing this package registers them::

    import pettingzoo
    import gem_gymnasium.multiplayer

    env = pettingzoo.make("aec", "gem/ConnectFour-v0")
    env = pettingzoo.make("parallel", "gem/RockPaperScissors-v0")

One file a game, each with PettingZoo's ``env``, ``raw_env`` and ``parallel_env``.
"""

from gem_gymnasium.multiplayer.all_seats import AllSeats
from gem_gymnasium.multiplayer.game import MultiGame, Outcome
from gem_gymnasium.multiplayer.table import ids, register
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_parallel import TextParallel

__all__ = [
    "AllSeats",
    "MultiGame",
    "Outcome",
    "TextAEC",
    "TextParallel",
    "ids",
    "register",
]

register()
