"""TextArena's games as PettingZoo and gymnasium envs; TextArena itself is imported on first use."""

from gem_gymnasium.multiplayer.text_arena.env import TextArenaAEC
from gem_gymnasium.multiplayer.text_arena.games import ids
from gem_gymnasium.multiplayer.text_arena.single import TextArenaEnv

__all__ = ["TextArenaAEC", "TextArenaEnv", "ids"]
