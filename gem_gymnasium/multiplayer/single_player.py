"""SinglePlayer: one seat of a game as a gymnasium env, others in the other seats."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any, cast

import gymnasium as gym
import numpy as np

from gem_gymnasium.core.errors import (
    ConfigError,
    MachineryError,
    StepOutsideEpisode,
    UnknownName,
)
from gem_gymnasium.core.render import can_draw, check_render_mode, draw_text
from gem_gymnasium.core.spaces import UnicodeText
from gem_gymnasium.core.text_env import failure_info
from gem_gymnasium.multiplayer.aec_base import FORFEIT, OTHER, TEXT, check_game, is_whole
from gem_gymnasium.multiplayer.players import Player, ask, check_player, player_for
from gem_gymnasium.multiplayer.players.base import Game, name_of
from gem_gymnasium.multiplayer.text_aec import TextAEC

DRAWN = -1
"""The seat of who does not mind: it is drawn anew in each episode."""

DEALS = 100
"""How often a game is dealt anew that the others end before the seat is asked."""


class SinglePlayer(gym.Env[str, str]):
    """One seat of a game of several players, as a text env for a single one.

    Every wrapper, vector env and trainer that takes a text env takes this one. A step is the seat's
    reply and all that the others do until it is asked again. A game that the others end before the
    seat was ever asked (one calls the other's bid, or has no try left) is no episode: it is dealt
    anew.

    Args:
        game: The game, in AEC form; it is played by this env alone from now on.
        seat: The seat, or -1 to draw one at each reset.
        opponents: Who sits in the other seats: a name (see :func:`player_for`), a
            :class:`Player` such as a function that asks a frozen model, or one of them for each
            other seat in its order. They get what their seats read, and nothing else.
        render_mode: ``"ansi"``, ``"human"``, ``"rgb_array"`` (needs Pillow) or None.

    Raises:
        ConfigError: There is no such seat, or the opponents are too many, too few, or no players.
        UnknownName: There is no player of that name.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - gymnasium declares it as an instance attribute
        "render_modes": ["ansi", "human", *(["rgb_array"] if can_draw() else [])],
        "render_fps": 2,
        "snapshot": True,
    }

    def __init__(
        self,
        game: Game,
        *,
        seat: int = DRAWN,
        opponents: str | Player | Iterable[str | Player] = "random",
        render_mode: str | None = None,
    ) -> None:
        check_game(game, TextAEC)
        others = len(game.possible_agents) - 1
        if not is_whole(seat) or not DRAWN <= seat <= others:
            raise ConfigError(f"seat must be from 0 to {others}, or -1 to draw one, got {seat!r}")
        seat = int(seat)  # JSON knows no number of numpy's
        check_render_mode(render_mode, self.metadata["render_modes"])
        one = isinstance(opponents, str) or callable(opponents)
        if one or not isinstance(opponents, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            opponents = [cast("Any", opponents)] * others
        given = list(opponents)
        if len(given) != others:
            raise ConfigError(f"the game needs {others} opponents, got {len(given)}")
        self.game, self.seat = game, seat
        self.opponents = [
            player_for(each, game) if isinstance(each, str) else check_player(each)
            for each in given
        ]
        self.events = (*game.events, FORFEIT, OTHER)
        self.kwargs: dict[str, Any] = {
            "game": game.metadata["name"], **game.kwargs, "seat": seat,
            "opponents": [name_of(each) for each in given],
        }  # fmt: skip
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self.render_mode = render_mode
        budget = -(-game.config.max_turns // (others + 1))
        self.max_turns = budget * (game.retries + 1)
        self._own = max(seat, 0)
        self._turn, self._over = 0, True
        self._observation = ""

    @property
    def _agent(self) -> str:
        return self.game.possible_agents[self._own]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode; the others move until the seat is asked.

        Raises:
            UnknownName: There are no reset options.
            ConfigError: An opponent's reply is no text, or the others have ended the game before
                the seat was asked in each of 100 deals.
        """
        super().reset(seed=seed)
        for name in options or {}:
            raise UnknownName("reset option", str(name), ())
        if self.seat == DRAWN:
            self._own = int(self.np_random.integers(len(self.opponents) + 1))
        self._over, self._turn = True, 0  # should an opponent fail
        for _ in range(DEALS):
            self._deal()
            if not self._is_over():
                break
        else:
            raise ConfigError(
                f"in {DEALS} deals the opponents ended the game before {self._agent} was asked; "
                f"the last one ended with: {self.game.infos[self._agent]['feedback']}"
            )
        self._over = False
        return self._read(), {**self._info(), "event": "reset", "legal": True}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Apply a reply, then let the others move until the seat is asked again.

        Returns:
            What the seat reads, the sum of its rewards since, and ``terminated``; ``truncated`` is
            only set where an opponent failed.

        Raises:
            StepOutsideEpisode: There is no episode to move in.
            ConfigError: ``action`` is no str, or an opponent's reply is none.
        """
        if self._over:
            raise StepOutsideEpisode("there is no episode to move in: call reset() before step()")
        if not isinstance(action, str):  # pyright: ignore[reportUnnecessaryIsInstance] # users err
            raise ConfigError(f"an action must be a str, got {type(action).__name__}")
        self._turn += 1
        self._over = True  # should an opponent fail
        self.game.step(action)
        event = self.game.infos[self._agent]["event"]
        legal = self.game.infos[self._agent]["legal"]
        reward = self.game.rewards[self._agent]
        try:
            reward += self._let_others_play()
        except MachineryError as error:
            self._turn -= 1
            info = {**self._info(), "view": "", **failure_info(error)}
            return self._observation, 0.0, False, True, info
        self._over = self._is_over()
        info = {**self._info(), "event": event, "legal": legal}
        return self._read(), float(reward), self._over, False, info

    def _deal(self) -> None:
        """Begin a game; the others move until the seat is asked, or it ends."""
        self.game.reset(seed=int(self.np_random.integers(2**32)))
        self._let_others_play()

    def _is_over(self) -> bool:
        return any(self.game.terminations.values())

    def _let_others_play(self) -> float:
        """Play the other seats until the own one is asked; return what it was paid."""
        paid = 0.0
        game = self.game
        while not self._is_over() and game.agent_selection != self._agent:
            agent = game.agent_selection
            seat = game.possible_agents.index(agent)
            player = self.opponents[seat - (seat > self._own)]
            game.step(ask(player, game, self.np_random))
            paid += game.rewards[self._agent]
        return paid

    def _info(self) -> dict[str, Any]:
        """Return the seat's info, its turns counted as the seat's own."""
        info = self.game.infos[self._agent]
        return {**info, "turn": self._turn, "max_turns": self.max_turns}

    def _read(self) -> str:
        self._observation = self.game.observe(self._agent)[TEXT]
        if self.render_mode == "human":
            sys.stdout.write(self._observation + "\n\n")
        return self._observation

    def render(self) -> Any:
        """Return the last observation as text (``ansi``) or frame (``rgb_array``), else None.

        Raises:
            StepOutsideEpisode: The env was never reset.
        """
        if not self._observation:
            raise StepOutsideEpisode("the env was never reset: call reset() before render()")
        if self.render_mode == "ansi":
            return self._observation
        return draw_text(self._observation) if self.render_mode == "rgb_array" else None

    def sample_legal_action(self, rng: np.random.Generator) -> str:
        """Return a legal, random reply.

        Raises:
            StepOutsideEpisode: There is no episode to move in.
        """
        return self.game.sample_legal_action(rng)

    def snapshot_state(self) -> dict[str, Any]:
        """Return the episode as JSON-able data; players are taken to remember nothing."""
        return {
            "game": self.game.snapshot().decode(),
            "own": self._own,
            "turn": self._turn,
            "over": self._over,
            "observation": self._observation,
        }

    def restore_state(self, data: dict[str, Any]) -> None:
        """Take up the episode that ``snapshot_state`` described.

        Raises:
            ValueError: The data are damaged.
        """
        own, turn, over, text = (data[name] for name in ("own", "turn", "over", "observation"))
        if not is_whole(own) or not 0 <= own <= len(self.opponents):
            raise ValueError(f"there is no seat {own!r}")
        if not is_whole(turn) or turn < 0 or type(over) is not bool or type(text) is not str:
            raise ValueError(f"no turn, end and text: {turn!r}, {over!r}, {text!r}")
        self.game.restore(data["game"].encode())
        self._own, self._turn, self._over, self._observation = own, turn, over, text


def make(
    *, module: str, seat: int = DRAWN, opponents: Any = "random", render_mode: str | None = None,
    **rules: Any,
) -> SinglePlayer:  # fmt: skip
    """Return a game's seat; the entry point of ``gem/<Game>-vs-<player>-v0``.

    Args:
        module: The game's file.
        seat: As for :class:`SinglePlayer`.
        opponents: Likewise.
        render_mode: Likewise.
        **rules: Of the game's class.
    """
    game = import_module(f"gem_gymnasium.multiplayer.{module}").env(**rules)
    return SinglePlayer(game, seat=seat, opponents=opponents, render_mode=render_mode)
