"""TextEnv: the one place where a pure game meets the gymnasium protocol.

A game supplies pure functions of (config, state, move) and the wording (``core/game.py``); TextEnv
owns what all games share: spaces, seeding, the turn budget, malformed replies, the keys of
``info``, the end of the episode, rendering and snapshots.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Literal, cast

import gymnasium as gym
import numpy as np

from gem_gymnasium.core.errors import (
    ConfigError,
    MachineryError,
    StepOutsideEpisode,
    UnknownName,
)
from gem_gymnasium.core.game import ConfigT, Game, MoveT, Outcome, StateT, build_config, tuples
from gem_gymnasium.core.parsing import echo
from gem_gymnasium.core.render import can_draw, check_render_mode, draw_text
from gem_gymnasium.core.spaces import MAX_CHARS, UnicodeText

MALFORMED = "malformed"
"""The event, in every env, of a reply that holds no well-formed action."""

FAILED = "failed"
"""The event of an invalid step: the machinery failed, so nothing is said about the reply."""

TOOL = "tool"
"""The event of a turn that a tool answered and the env saw nothing of (``wrappers.ToolUse``)."""

MALFORMED_REWARD = -0.1
"""Reward of a reply that holds no well-formed action (GEM's format error)."""

SETTINGS = ("on_malformed", "random", "render_mode")
"""What an env takes beside its game's rules."""

OUT_OF_TURNS = "The last turn is used: the game is lost."
LOST = "The game is lost."

INFO_TYPES: Mapping[str, type] = {
    "event": str,
    "turn": int,
    "max_turns": int,
    "legal": bool,
    "success": bool,
    "progress": float,
    "feedback": str,
    "view": str,
    "optimal_turns": int,
    "valid": bool,
    "error": str,
    "stop": str,
}
"""The keys of ``info``, with their types, that every env gives after every reset and step."""

STOPS = ("", "timeout", "crash", "context", "grader", "tool")
"""What ``info["stop"]`` may be: why an episode was stopped from outside, or ``""``."""

_MAX_ERROR_CHARS = 500

OnMalformed = Literal["end", "continue"]


class TextEnv(Game[ConfigT, StateT, MoveT], gym.Env[str, str]):
    """A text game as a :class:`gymnasium.Env`; see ``games/guess_the_number.py`` for the shape.

    A subclass is a table: it names what :class:`~gem_gymnasium.core.game.Game` declares, which
    is all that one game has for itself.

    Args:
        render_mode: ``"ansi"``, ``"human"``, ``"rgb_array"`` (needs Pillow) or None.
        on_malformed: Whether a reply without a well-formed action ends the episode (``"end"``, as
            in GEM) or costs a turn (``"continue"``). Its reward is -0.1 either way.
        random: Draw the config anew at each reset, uniformly from ``random_configs``.
        **rules: Fields of ``config_type``.

    Raises:
        TypeError: The class misses functions that a game must have; the message names them.
        ConfigError: A rule does not exist or its value is refused.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - gymnasium declares it as an instance attribute
        "render_modes": ["ansi", "human", *(["rgb_array"] if can_draw() else [])],
        "render_fps": 2,
        "snapshot": True,
    }

    def __init__(
        self,
        *,
        render_mode: str | None = None,
        on_malformed: OnMalformed = "end",
        random: bool = False,
        **rules: Any,
    ) -> None:
        if on_malformed not in ("end", "continue"):
            raise ConfigError(f"on_malformed must be 'end' or 'continue', got {on_malformed!r}")
        check_render_mode(render_mode, self.metadata["render_modes"])
        if not isinstance(random, bool):  # pyright: ignore[reportUnnecessaryIsInstance] # users err
            raise ConfigError(f"random must be True or False, got {random!r}")
        self.config: ConfigT = build_config(self.config_type, rules, SETTINGS)
        if random and rules:
            raise ConfigError(f"random=True draws every rule, so none can be set; got {rules}")
        if random and not self.random_configs:
            raise ConfigError(f"{type(self).__name__} has no random variant")
        self.random = random
        self.on_malformed: OnMalformed = on_malformed
        self.render_mode = render_mode
        self.kwargs: dict[str, Any] = {"on_malformed": on_malformed, "random": random, **rules}
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self._state: StateT | None = None
        self._turn = self._max_turns = 0
        self._optimum = -1
        self._over = True
        self._observation = ""
        # What a game does not have, a step does not ask for.
        self._has_view = type(self).view is not cast("Any", Game).view
        self._has_chance = type(self).chance is not cast("Any", Game).chance
        self._has_extra = bool(self.extra_info)
        self._is_shown = render_mode == "human"

    # -- the gymnasium protocol -------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Seed of the env's own generator, as in :meth:`gymnasium.Env.reset`.
            options: None, or some of the class's ``reset_options`` (most games have none).

        Returns:
            The rules and the first view (a str), and ``info``.

        Raises:
            UnknownName: ``options`` holds another key.
            ConfigError: A value of ``options`` is refused.
            MachineryError: The game asks a server, which failed.
        """
        super().reset(seed=seed)
        for name in options or {}:
            if name not in self.reset_options:
                raise UnknownName("reset option", str(name), self.reset_options)
        if self.random:
            draw = int(self.np_random.integers(len(self.random_configs)))
            self.config = self.random_configs[draw]
        self._over = True  # should the deal fail
        state = (
            self.deal_as_told(self.config, self.np_random, options)
            if options
            else self.deal(self.config, self.np_random)
        )
        self._state, self._turn, self._over = state, 0, False
        self._max_turns = cast("Any", self.config).max_turns
        self._optimum = self.optimal_turns(self.config, state)
        observation, info = self._answer(state, Outcome("reset", ""), self.rules(self.config), "")
        if self._is_shown:
            _print(observation)
        return observation, info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Apply one reply.

        Args:
            action: The model's whole reply, any str.

        Returns:
            Observation (feedback, then the view), reward, terminated, truncated and ``info``. Only
            an invalid step (a server that the game asks failed) is truncated: the turn budget is
            a rule of the game.

        Raises:
            StepOutsideEpisode: The env was never reset, or the episode is over.
            ConfigError: ``action`` is no str.
        """
        state = self._state
        if self._over or state is None:
            raise StepOutsideEpisode(
                "the env was never reset: call reset() before step()"
                if state is None
                else "the episode is over: call reset() before the next step()"
            )
        if not isinstance(action, str):  # pyright: ignore[reportUnnecessaryIsInstance] # users err
            raise ConfigError(f"an action must be a str, got {type(action).__name__}")
        self._turn = turn = self._turn + 1
        move = self.parse(action) if len(action) <= MAX_CHARS else None
        if move is None:
            outcome = self._malformed(action)
        else:
            try:
                state, outcome = self.play(self.config, state, move)
            except MachineryError as error:
                return self._invalid(state, error)
            if self._has_chance and outcome.legal and not outcome.over:
                state, outcome = self.chance(self.config, state, outcome, self.np_random)
            self._state = state
        reward, feedback, over = outcome.reward, outcome.feedback, outcome.over
        if not over and turn >= self._max_turns:
            over = True
            if move is not None:
                reward += self.last_turn_reward(self.config, state, move)
            feedback = f"{feedback}\n{OUT_OF_TURNS}"
        self._over = over
        observation, info = self._answer(state, outcome, feedback, feedback)
        if self._is_shown:
            _print(observation)
        return observation, reward, over, False, info

    def _malformed(self, action: str) -> Outcome:
        """Judge a reply that holds no well-formed action."""
        what = (
            f"The reply is over {MAX_CHARS} characters long."
            if len(action) > MAX_CHARS
            else f"No valid action was found: {self.form(self.config)}"
        )
        ends = self.on_malformed == "end"
        feedback = f"{what}\n{LOST}" if ends else what
        return Outcome(MALFORMED, feedback, MALFORMED_REWARD, legal=False, over=ends)

    def _invalid(
        self, state: StateT, error: MachineryError
    ) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Return an invalid step: the last good observation, no reward, the episode cut off."""
        observation = self._observation
        self._turn -= 1
        self._over = True
        _, info = self._answer(state, Outcome(FAILED, ""), "", "")
        self._observation = observation
        return observation, 0.0, False, True, {**info, **failure_info(error)}

    def _answer(
        self, state: StateT, outcome: Outcome, head: str, feedback: str
    ) -> tuple[str, dict[str, Any]]:
        """Compose the observation (``head``, then the view) and the info after an outcome."""
        turn, max_turns = self._turn, self._max_turns
        view = f"Turns left: {max_turns - turn}." if self.tells_turns else ""
        if self._has_view and (board := self.view(self.config, state)):
            view = f"{board}\n{view}" if view else board
        self._observation = observation = f"{head}\n{view}" if view else head
        info: dict[str, Any] = {
            "event": outcome.event,
            "turn": turn,
            "max_turns": max_turns,
            "legal": outcome.legal,
            "success": outcome.success,
            "progress": self.progress(self.config, state),
            "feedback": feedback,
            "view": view,
            "optimal_turns": self._optimum,
            "valid": True,
            "error": "",
            "stop": "",
        }
        if self._has_extra:
            info.update(self.extra(self.config, state))
        return observation, info

    def render(self) -> Any:
        """Return the last observation as text (``ansi``) or frame (``rgb_array``), else None.

        Raises:
            StepOutsideEpisode: The env was never reset.
        """
        if self._state is None:
            raise StepOutsideEpisode("the env was never reset: call reset() before render()")
        if self.render_mode == "ansi":
            return self._observation
        if self.render_mode == "rgb_array":
            return draw_text(self._observation)
        return None

    # -- beyond gymnasium ---------------------------------------------------------------------

    def sample_legal_action(self, rng: np.random.Generator) -> str:
        """Return a well-formed, legal, random reply for the present state.

        Args:
            rng: Where the choice comes from; the env's own generator is left alone.

        Raises:
            StepOutsideEpisode: There is no episode to move in.
        """
        if self._over or self._state is None:
            raise StepOutsideEpisode("there is no legal action outside an episode: call reset()")
        return self.write(self.legal_move(self.config, self._state, rng))

    def snapshot_state(self) -> dict[str, Any]:
        """Return the episode as JSON-able data (see :func:`gem_gymnasium.snapshot`)."""
        return {
            "config": asdict(cast("Any", self.config)),
            "state": self._state,
            "turn": self._turn,
            "optimal_turns": self._optimum,
            "over": self._over,
            "observation": self._observation,
        }

    def restore_state(self, data: dict[str, Any]) -> None:
        """Take up the episode that ``snapshot_state`` described."""
        self.config = self.config_type(**data["config"])
        state = data["state"]
        self._state = None if state is None else self.state_type(*tuples(state))
        self._turn, self._over = data["turn"], data["over"]
        self._max_turns = cast("Any", self.config).max_turns
        self._optimum = data["optimal_turns"]
        self._observation = data["observation"]


def failure_info(error: MachineryError) -> dict[str, Any]:
    """Return what an invalid step's ``info`` says, on top of what was so before it."""
    return {
        "event": FAILED,
        "legal": True,
        "success": False,
        "feedback": "",
        "valid": False,
        "error": echo(f"{type(error).__name__}: {error}", _MAX_ERROR_CHARS),
        "stop": error.stop,
    }


def _print(observation: str) -> None:
    """Show an observation to a human; that of an invalid step was shown a step before."""
    sys.stdout.write(observation + "\n\n")
