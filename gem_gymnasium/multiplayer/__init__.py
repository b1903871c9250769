"""Games of several players as PettingZoo envs.

Importing this package registers them::

    import pettingzoo
    import gem_gymnasium.multiplayer

    env = pettingzoo.make("aec", "gem/ConnectFour-v0")
    env = pettingzoo.make("parallel", "gem/RockPaperScissors-v0")

One file a game, each with PettingZoo's ``env``, ``raw_env`` and ``parallel_env``. ``textarena``
makes one of a game of TextArena's, ``textarena_single`` a gymnasium env of one for a single player.
"""

from gem_gymnasium.multiplayer import players
from gem_gymnasium.multiplayer.all_seats import AllSeats
from gem_gymnasium.multiplayer.game import MultiGame, Outcome
from gem_gymnasium.multiplayer.single_player import SinglePlayer
from gem_gymnasium.multiplayer.table import ids, register
from gem_gymnasium.multiplayer.text_aec import TextAEC
from gem_gymnasium.multiplayer.text_arena import TextArenaAEC as textarena
from gem_gymnasium.multiplayer.text_arena import TextArenaEnv as textarena_single
from gem_gymnasium.multiplayer.text_arena import ids as textarena_ids
from gem_gymnasium.multiplayer.text_parallel import TextParallel

__all__ = [
    "AllSeats",
    "MultiGame",
    "Outcome",
    "SinglePlayer",
    "TextAEC",
    "TextParallel",
    "ids",
    "players",
    "register",
    "textarena",
    "textarena_ids",
    "textarena_single",
]

register()
