"""What TextArena's modules get instead of ``random``, ``numpy``, ``nltk`` and ``print``.

Its games draw from the module-level generators, so that equal seeds would give equal games only as
long as nobody else draws, and print what nobody asked for. Here stand-ins take the place of those
names in TextArena's modules. Within :class:`confined` they lead to the env's own dice, for the
thread that plays alone; outside they are what they stand for. The generators of ``random`` and
``numpy.random`` themselves are never touched, so other threads may use them meanwhile.
"""

from __future__ import annotations

import builtins
import random
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

PREFIX = "textarena"
DICTIONARY = "EnglishDictionary"
"""A class of TextArena's that reads its words for seconds; its games change no instance."""


class Dice:
    """The generators of one episode.

    Args:
        seed: From 0 to ``2**32 - 1``.
    """

    def __init__(self, seed: int) -> None:
        self.python = random.Random(seed)
        self.numpy = np.random.RandomState(seed)

    def new_python(self, seed: Any = None) -> random.Random:
        """Stand in for ``random.Random``: without a seed, one is drawn, not taken from the OS."""
        return random.Random(self.python.getrandbits(64) if seed is None else seed)

    def new_numpy(self, seed: Any = None) -> np.random.Generator:
        """Stand in for ``numpy.random.default_rng``, likewise."""
        return np.random.default_rng(self.python.getrandbits(64) if seed is None else seed)


class _Now(threading.local):
    dice: Dice | None = None


_now = _Now()


@contextmanager
def confined(dice: Dice) -> Generator[None]:
    """Have what this thread runs in TextArena draw from ``dice``, print nothing, load nothing."""
    before, _now.dice = _now.dice, dice
    try:
        yield
    finally:
        _now.dice = before


class _StandIn:
    """A module, some names of which are other things within :func:`confined`."""

    def __init__(self, module: ModuleType, own: Callable[[Dice, str], Any]) -> None:
        self._module, self._own = module, own

    def __getattr__(self, name: str) -> Any:
        dice = _now.dice
        found = None if dice is None else self._own(dice, name)
        return getattr(self._module, name) if found is None else found


def _of_random(dice: Dice, name: str) -> Any:
    if name in ("Random", "SystemRandom"):
        return dice.new_python
    return getattr(dice.python, name, None)


def _of_numpy_random(dice: Dice, name: str) -> Any:
    return dice.new_numpy if name == "default_rng" else getattr(dice.numpy, name, None)


def _of_numpy(dice: Dice, name: str) -> Any:
    return _NUMPY_RANDOM if name == "random" else None


def _of_nltk(dice: Dice, name: str) -> Any:
    return skip_download if name == "download" else None


def skip_download(*args: Any, **kwargs: Any) -> bool:
    """Stand in for ``nltk.download``, which has no deadline; what is not there is then missed."""
    return True


def _print(*args: Any, **kwargs: Any) -> None:
    if _now.dice is None:
        builtins.print(*args, **kwargs)  # noqa: T201 - TextArena's own, outside an env


_NUMPY_RANDOM = _StandIn(np.random, _of_numpy_random)
_STAND_INS: dict[str, _StandIn] = {
    "random": _StandIn(random, _of_random),
    "numpy": _StandIn(np, _of_numpy),
}


def confine_modules() -> None:
    """Put the stand-ins into every module of TextArena that is loaded; twice is as once."""
    nltk = sys.modules.get("nltk")
    if nltk is not None:
        _STAND_INS.setdefault("nltk", _StandIn(nltk, _of_nltk))
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == PREFIX:
            _confine(module)


def _confine(module: ModuleType) -> None:
    names = vars(module)
    for name, value in list(names.items()):
        if isinstance(value, ModuleType) and value.__name__ in _STAND_INS:
            names[name] = _STAND_INS[value.__name__]
    names["print"] = _print
    if isinstance(names.get(DICTIONARY), type):
        names[DICTIONARY] = cache(names[DICTIONARY])
